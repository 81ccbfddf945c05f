// SPDX-License-Identifier: Apache-2.0
#include "targets/mariadb/sync/patched_build.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/process/file_tree.h"
#include "base/process/log_file.h"
#include "base/process/server_error.h"
#include "base/text/shell_words.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto kStepLimit = 600s;
constexpr unsigned kMostCompilations = 8;  // of a file that the compiler refuses
// Its locks and memory are what a sync point itself uses: one within them would come to itself.
constexpr const char* kUsedByPoints = "mysys";

fs::path tree_of(const fs::path& server) {
  return fs::canonical(server).parent_path().parent_path();
}

void replace_all(std::string& text, const std::string& what, const std::string& by) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

}  // namespace

PatchedBuild::PatchedBuild(const fs::path& server, fs::path source, const std::atomic<bool>& stop)
    : tree_(tree_of(server)),
      source_(std::move(source)),
      server_(fs::canonical(server).lexically_relative(tree_)),
      stop_(stop),
      folder_(std::make_unique<PrivateDirectory>(temporary_base())) {
  const fs::path told = folder_->path() / "steps.json";
  const std::string complaint = run("ninja -t compdb >" + shell_word(told), "ninja");
  const auto steps = nlohmann::json::parse(text_of_file(told), nullptr, false);
  if (!complaint.empty() || !steps.is_array()) {
    throw ServerError(fmt::format("{} was not built by ninja", tree_.string()), complaint);
  }
  for (const nlohmann::json& step : steps) {
    Step one{step.at("command"), step.at("output")};
    if (one.output == server_) {
      linking_ = std::move(one);
    } else if (one.output.ends_with(".o")) {
      compiling_.emplace(
          fs::path(step.at("directory").get<std::string>()) / step.at("file").get<std::string>(),
          std::move(one));
    }
  }
  if (linking_.command.empty()) {
    throw ServerError(
        fmt::format("the build in {} does not make {}", tree_.string(), server_.string()));
  }
}

AddedPoints PatchedBuild::points_in(const std::vector<std::string>& functions) const {
  AddedPoints points;
  for (const auto& [file, step] : compiling_) {
    const fs::path where = file.lexically_relative(source_);
    if (*where.begin() == ".." || *where.begin() == kUsedByPoints) continue;
    const std::string text = text_of_file(file);
    for (const std::string& function : functions) {
      if (text.find(function) == std::string::npos) continue;
      const std::vector<AddedPoint> found = points_to_add(text, function);
      if (!found.empty()) points[file].insert(points[file].end(), found.begin(), found.end());
    }
  }
  return points;
}

fs::path PatchedBuild::build(AddedPoints& points, Refused refused) {
  folder_ = std::make_unique<PrivateDirectory>(temporary_base());
  for (const auto& entry : fs::directory_iterator(tree_)) {
    if (entry.path().filename() != *server_.begin()) {
      fs::create_symlink(entry.path(), folder_->path() / entry.path().filename());
    }
  }
  fs::create_directories((folder_->path() / server_).parent_path());
  for (const auto& entry : fs::directory_iterator((tree_ / server_).parent_path())) {
    if (entry.path().filename() == server_.filename()) continue;
    fs::create_symlink(entry.path(),
                       (folder_->path() / server_).parent_path() / entry.path().filename());
  }
  compile(points, refused);
  link(points.size());
  return folder_->path() / server_;
}

std::string PatchedBuild::object_of(size_t number) const {
  return folder_->path() / fmt::format("added-{}.o", number);
}

// The copy is told where the file stood, for what it includes from beside it.
std::string PatchedBuild::compile_command(const fs::path& file, size_t number) const {
  const Step& step = compiling_.at(file);
  std::string command = step.command;
  replace_all(command, step.output, object_of(number));
  const fs::path copy = folder_->path() / fmt::format("{}-{}", number, file.filename().string());
  replace_all(command, "-c " + file.string(),
              fmt::format("-iquote {} -c {}", shell_word(file.parent_path()), shell_word(copy)));
  return command;
}

void PatchedBuild::compile(AddedPoints& points, Refused refused) {
  size_t number = 0;
  for (auto& [file, added] : points) {
    const std::string text = text_of_file(file);
    const fs::path copy = folder_->path() / fmt::format("{}-{}", number, file.filename().string());
    for (unsigned i = 1;; ++i) {
      const bool may_be_less = refused == Refused::kTakenOut && i < kMostCompilations;
      write_file(copy, refused == Refused::kTakenOut ? with_points(text, added)
                                                     : with_point_lines(text, added));
      // At the ends of lines they look as if they belonged to an "if" before them.
      const char* const leniently = refused == Refused::kTakenOut ? " -Wno-error" : "";
      const std::string complaint =
          run(compile_command(file, number) + leniently, fmt::format("compile-{}", number));
      if (complaint.empty()) break;
      if (may_be_less) added = without_refused(added, copy, complaint);
      if (!may_be_less || added.empty()) {
        throw ServerError(
            fmt::format("{} cannot be compiled with sync points added", file.filename().string()),
            complaint);
      }
    }
    ++number;
  }
}

// Only what makes the program, and nothing that comes after it.
void PatchedBuild::link(size_t objects) {
  std::string command = linking_.command;
  const std::string output = " -o " + server_.string() + " ";
  const size_t at = command.find(output);
  if (at == std::string::npos) throw ServerError("no known way to link " + server_.string());
  std::string with = fmt::format(" -o {} ", (folder_->path() / server_).string());
  for (size_t i = 0; i < objects; ++i) with += object_of(i) + " ";
  command.replace(at, output.size(), with);
  const size_t end = command.find(" && ", at);
  if (end != std::string::npos) command.resize(end);
  const std::string complaint = run(command, "link");
  if (!complaint.empty()) {
    throw ServerError(fmt::format("{} cannot be linked with sync points added", server_.string()),
                      complaint);
  }
}

std::string PatchedBuild::run(const std::string& command, const std::string& name) const {
  ProcessPlan plan;
  plan.program = "/bin/sh";
  plan.arguments = {"-c", command};
  plan.environment = {"CCACHE_DISABLE=1", "TMPDIR=" + folder_->path().string()};
  plan.folder = tree_;
  plan.log = folder_->path() / (name + ".log");
  Process process(plan);
  const auto end = std::chrono::steady_clock::now() + kStepLimit;
  std::optional<ExitStatus> ended;
  while (!(ended = process.wait(200ms))) {
    if (stop_.load()) throw ServerError("stopped while it was compiled");
    if (std::chrono::steady_clock::now() > end) throw ServerError(name + " did not end");
  }
  if (ended->signal == 0 && ended->code == 0) return {};
  return text_of_file(plan.log) + text_of(*ended);
}

std::string PatchedBuild::patch(const AddedPoints& points) const {
  std::string text;
  for (const auto& [file, added] : points) {
    text += patch_of(file.lexically_relative(source_), text_of_file(file), added);
  }
  return text;
}

}  // namespace esox
