// SPDX-License-Identifier: Apache-2.0
// Files, folders, and what must hold across them.
#include "inputs/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <system_error>

#include "base/yaml/document.h"
#include "base/yaml/file_text.h"
#include "inputs/limits.h"
#include "inputs/schema.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, std::string_view message) {
  throw InputError(path.string(), 0, message);
}

bool is_hidden(const fs::path& path) {
  return path.filename().string().starts_with('.');
}

bool is_yaml(const fs::path& path) {
  return path.extension() == ".yaml" || path.extension() == ".yml";
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  auto entry = fs::recursive_directory_iterator(folder, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    std::error_code unknown;
    const bool is_folder = entry->is_directory(unknown);
    if (is_hidden(entry->path())) {
      if (is_folder) entry.disable_recursion_pending();
    } else if (!is_folder && is_yaml(entry->path())) {
      files.push_back(entry->path());
    }
    if (files.size() > kMaxFiles) fail(folder, fmt::format("has more than {} files", kMaxFiles));
  }
  if (error) fail(folder, fmt::format("cannot be listed: {}; check its rights", error.message()));
  if (files.empty()) fail(folder, "has no *.yaml file in it; name a file or another folder");
  std::ranges::sort(files);
  return files;
}

std::vector<fs::path> files_at(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    fail(path, error && error != std::errc::no_such_file_or_directory
                   ? fmt::format("cannot be opened: {}", error.message())
                   : "no such file or folder; name a YAML file or a folder of them");
  }
  if (fs::is_directory(status)) return files_in(path);
  return {path};
}

// Gathers inputs and sees to it that ids stay unique.
class Collection {
 public:
  void add(std::vector<Input> inputs, const std::string& file) {
    for (Input& input : inputs) {
      const auto [first, is_new] = origins_.emplace(input.id, input.origin);
      if (!is_new) fail_duplicate(input, first->second, file);
      inputs_.push_back(std::move(input));
    }
    if (inputs_.size() > kMaxInputs) {
      throw InputError(
          file, 0, fmt::format("makes it more than {} inputs; read fewer at a time", kMaxInputs));
    }
  }
  std::vector<Input> take() { return std::move(inputs_); }

 private:
  [[noreturn]] static void fail_duplicate(const Input& input, const std::string& first,
                                          const std::string& file) {
    const int line = std::stoi(input.origin.substr(input.origin.rfind(':') + 1));
    throw InputError(
        file, line,
        fmt::format("id {} is already used at {}; choose another", in_quotes(input.id), first));
  }

  std::vector<Input> inputs_;
  std::map<std::string, std::string> origins_;
};

void add_text(Collection& collection, std::string_view yaml, const std::string& file,
              const Languages& languages, std::vector<InputError>* refused) {
  const std::vector<NodePtr> documents = parse_documents(yaml, file);
  if (documents.empty()) throw InputError(file, 0, "holds no input; see docs/writing-inputs.md");
  for (const NodePtr& document : documents) {
    collection.add(inputs_of_document(*document, file, languages, refused), file);
  }
}

}  // namespace

std::vector<Input> read_inputs(const std::vector<fs::path>& files_or_folders,
                               const Languages& languages, std::vector<InputError>* refused) {
  if (files_or_folders.empty()) throw InputError("", 0, "no input file or folder was named");
  Collection collection;
  std::set<fs::path> seen;
  for (const fs::path& path : files_or_folders) {
    for (const fs::path& file : files_at(path)) {
      std::error_code error;
      const fs::path canonical = fs::canonical(file, error);
      if (!seen.insert(error ? file : canonical).second) continue;
      add_text(collection, file_text(file), file.string(), languages, refused);
    }
  }
  std::vector<Input> inputs = collection.take();
  if (inputs.empty()) throw refused->front();
  return inputs;
}

std::vector<Input> read_inputs(const fs::path& file_or_folder, const Languages& languages) {
  return read_inputs(std::vector<fs::path>{file_or_folder}, languages);
}

std::vector<Input> parse_inputs(std::string_view yaml, const std::string& name,
                                const Languages& languages) {
  Collection collection;
  add_text(collection, yaml, name, languages, nullptr);
  return collection.take();
}

}  // namespace esox
