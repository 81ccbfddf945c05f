// SPDX-License-Identifier: Apache-2.0
// See hunt_file_reader.h. One function per mapping of the file.
#include "harness/nights/hunt_file/hunt_file_reader.h"

#include <fmt/format.h>

#include <array>
#include <set>
#include <system_error>
#include <utility>

#include "base/process/paths.h"
#include "base/yaml/document.h"
#include "base/yaml/file_text.h"
#include "harness/engine/known_servers.h"
#include "harness/nights/hunt_file/values.h"
#include "harness/records/reports/reports.h"
#include "inputs/request_fields.h"
#include "inputs/settings.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

constexpr std::array<std::string_view, 27> kFileKeys = {
    "name",       "out",     "server",      "servers",     "options", "engines",    "corpora",
    "strategies", "learn",   "remember",    "seed",        "budget",  "executions", "jobs",
    "diagnose",   "recheck", "rest_nights", "turn_within", "gate",    "isolation",  "data_choices",
    "background", "filters", "limits",      "retention",   "outputs", "fail_on"};
constexpr std::array<std::string_view, 5> kServerKeys = {"name", "path", "package", "build",
                                                         "share"};
constexpr std::array<std::string_view, 4> kRowKeys = {"name", "server_options", "engines", "share"};
constexpr std::array<std::string_view, 7> kCorpusKeys = {"name", "inputs",  "generate",  "share",
                                                         "top",  "engines", "executions"};
constexpr std::array<std::string_view, 5> kLimitKeys = {"memory", "free_at_least", "stuck_after",
                                                        "grace", "resume_within"};
constexpr std::array<std::string_view, 2> kRetentionKeys = {"nights", "space"};
constexpr std::array<std::string_view, 4> kOutputKeys = {"reports", "metrics", "hook",
                                                         "hook_limit"};
constexpr std::array<std::string_view, 3> kFailOn = {"any", "new", "none"};
constexpr std::array<std::string_view, 3> kBackgrounds = {"off", "on", "auto"};  // background.h
constexpr std::array<std::string_view, 3> kIsolations = {"auto", "snapshot", "restart"};

constexpr uint64_t kMostExecutions = 10'000'000;
constexpr uint64_t kMostNightExecutions = 1'000'000'000'000;
constexpr uint64_t kMostNights = 10'000;
constexpr uint64_t kMostJobs = 64;
constexpr uint64_t kMostTop = 200'000;
constexpr size_t kMaxHookBytes = 4096;

class Reader {
 public:
  explicit Reader(const fs::path& file) : file_(file.string()) {
    std::error_code error;
    night_.file = fs::absolute(file, error).lexically_normal();
  }

  HuntFile read(const Node& node) {
    const Fields fields(node, file_, "the hunt file", kFileKeys);
    read_names(fields);
    read_servers(fields);
    read_rows(fields);
    read_corpora(fields);
    read_strategies(fields);
    read_budget(fields);
    read_turns(fields);
    read_executor(fields);
    read_filters(fields);
    if (const Node* limits = fields.find("limits")) read_limits(*limits);
    if (const Node* retention = fields.find("retention")) read_retention(*retention);
    if (const Node* outputs = fields.find("outputs")) read_outputs(*outputs);
    take(fields, "fail_on", night_.fail_on, &Fields::word, kFailOn);
    check_stages(fields);
    return std::move(night_);
  }

 private:
  std::string absolute(const std::string& path) const {
    return (night_.file.parent_path() / path).lexically_normal().string();
  }

  std::string existing(const Fields& fields, const Node& node, std::string_view what) const {
    std::string path = absolute(fields.text(node, what));
    if (is_there(path)) return path;
    fields.fail(node.line, fmt::format("{} {} is not there; paths count from the hunt file's "
                                       "folder",
                                       what, in_quotes(path)));
  }

  std::string unique_name(const Fields& fields, Names& names, std::string_view what) const {
    const Node& node = fields.require("name", "give it a short name");
    std::string name = fields.name(node, "name");
    if (!names.insert(name).second) {
      fields.fail(node.line,
                  fmt::format("a second {} {}; names must differ", what, in_quotes(name)));
    }
    return name;
  }

  const std::vector<NodePtr>& entries(const Fields& fields, const Node& node, std::string_view key,
                                      size_t most) const {
    const std::vector<NodePtr>& list = fields.list(node, key);
    if (!list.empty() && list.size() <= most) return list;
    fields.fail(node.line,
                fmt::format("'{}' holds {} entries; it may hold 1 to {}", key, list.size(), most));
  }

  void read_names(const Fields& fields) {
    const Node* name = fields.find("name");
    night_.name = name != nullptr ? fields.name(*name, "name") : "night";
    const Node* out = fields.find("out");
    night_.out = absolute(out != nullptr ? fields.text(*out, "out") : "esox-nights");
    const Node* kind = fields.find("server");
    if (kind != nullptr) {
      language_ = &language_of(languages_, fields.text(*kind, "server"), file_, kind->line);
    }
    night_.server_kind = language_->server();
  }

  void read_servers(const Fields& fields) {
    const Node& list = fields.require("servers", "list at least one server under it");
    Names names;
    for (const NodePtr& node : entries(fields, list, "servers", kMostNightServers)) {
      night_.servers.push_back(server_of(*node, names));
    }
  }

  HuntFileServer server_of(const Node& node, Names& names) {
    const Fields fields(node, file_, "the server", kServerKeys);
    HuntFileServer server;
    server.name = unique_name(fields, names, "server");
    server.line = node.line;
    constexpr std::array<std::pair<std::string_view, HuntFileServer::Kind>, 3> kKinds = {
        {{"path", HuntFileServer::Kind::kPath},
         {"package", HuntFileServer::Kind::kPackage},
         {"build", HuntFileServer::Kind::kBuild}}};
    int given = 0;
    for (const auto& [key, kind] : kKinds) {
      const Node* where = fields.find(key);
      if (where == nullptr) continue;
      ++given;
      server.kind = kind;
      server.where = fields.text(*where, key);
      if (kind == HuntFileServer::Kind::kPackage) {
        server.where = fields.name(*where, key);
      } else if (kind == HuntFileServer::Kind::kBuild ||
                 server.where.find('/') != std::string::npos) {
        server.where = absolute(server.where);
      }
    }
    if (given != 1 || server.where.empty()) {
      fields.fail(node.line, fmt::format("server {} needs one of path, package and build; it has "
                                         "{}",
                                         in_quotes(server.name), given));
    }
    take(fields, "share", server.share, share_of);
    return server;
  }

  void read_rows(const Fields& fields) {
    night_.engines = engines_of(fields, *language_);
    const Node* list = fields.find("options");
    if (list == nullptr) {
      night_.options.push_back({"default", {}, {}, 1});
      return;
    }
    Names names;
    for (const NodePtr& node : entries(fields, *list, "options", kMaxSettings)) {
      const Fields row(*node, file_, "the row of options", kRowKeys);
      HuntFileOptions& one = night_.options.emplace_back();
      one.name = unique_name(row, names, "row of options");
      one.server_options = server_options_of(row, *language_);
      one.engines = engines_of(row, *language_);
      take(row, "share", one.share, share_of);
    }
  }

  void read_corpora(const Fields& fields) {
    const Node* list = fields.find("corpora");
    if (list == nullptr) {
      night_.corpora.push_back({"shipped", {}, 1, 1000, {}, {}});
      return;
    }
    Names names;
    for (const NodePtr& node : entries(fields, *list, "corpora", kMostNightCorpora)) {
      night_.corpora.push_back(corpus_of(*node, names));
    }
  }

  HuntFileCorpus corpus_of(const Node& node, Names& names) {
    const Fields fields(node, file_, "the corpus", kCorpusKeys);
    HuntFileCorpus corpus;
    corpus.name = unique_name(fields, names, "corpus");
    take(fields, "share", corpus.share, share_of);
    if (const Node* generate = fields.find("generate")) return generated(fields, *generate, corpus);
    const Node& inputs = fields.require(
        "inputs",
        "name input files, folders or a corpus, or write 'shipped'; or 'generate' in its place");
    if (inputs.kind == Node::Kind::kList) {
      for (const NodePtr& one : inputs.items) {
        corpus.inputs.push_back(existing(fields, *one, "an input"));
      }
      if (corpus.inputs.empty()) fields.fail(inputs.line, "'inputs' is empty; name some");
    } else if (fields.text(inputs, "inputs") != "shipped") {
      corpus.inputs.push_back(existing(fields, inputs, "an input"));
    }
    if (const Node* top = fields.find("top")) {
      const bool all = fields.text(*top, "top") == "all";
      corpus.top = all ? 0 : fields.number(*top, "top", 1, kMostTop);
    }
    corpus.engines = engines_of(fields, *language_);
    take(fields, "executions", corpus.executions_each, &Fields::number, 1, kMostExecutions);
    return corpus;
  }

  // What is made names its engines itself, and an input has as many executions as it is worth.
  HuntFileCorpus generated(const Fields& fields, const Node& node, HuntFileCorpus corpus) const {
    for (const char* key : {"inputs", "top", "engines", "executions"}) {
      const Node* other = fields.find(key);
      if (other != nullptr) {
        fields.fail(other->line, fmt::format("'{}' says nothing of inputs that 'generate' makes; "
                                             "leave it out",
                                             key));
      }
    }
    corpus.grammar =
        fields.text(node, "generate") == "shipped" ? "" : existing(fields, node, "a grammar");
    return corpus;
  }

  void read_strategies(const Fields& fields) {
    const Node* list = fields.find("strategies");
    if (list == nullptr) {
      night_.strategies = {"portfolio"};
    } else {
      for (const NodePtr& node : entries(fields, *list, "strategies", kMostNightStrategies)) {
        night_.strategies.push_back(fields.text(*node, "a strategy"));
      }
    }
    take(fields, "learn", night_.learn, &Fields::boolean);
    take(fields, "remember", night_.remember, &Fields::boolean);
  }

  void read_budget(const Fields& fields) {
    constexpr std::string_view kUnit = " executions";
    const Node& budget =
        fields.require("budget", "say how long a night is (8h), or how much (200000 executions)");
    const std::string& text = fields.text(budget, "budget");
    if (text.ends_with(kUnit)) {
      Node number = budget;
      number.text = text.substr(0, text.size() - kUnit.size());
      night_.budget.executions = fields.number(number, "budget", 1, kMostNightExecutions);
    } else {
      night_.budget.time = duration_of(fields, budget, "budget");
    }
    take(fields, "executions", night_.executions_each, &Fields::number, 1, kMostExecutions);
    take(fields, "diagnose", night_.diagnose_budget, duration_or_none_of);
    take(fields, "recheck", night_.recheck_budget, duration_or_none_of);
  }

  void read_turns(const Fields& fields) {
    take(fields, "seed", night_.seed, &Fields::number, 0, UINT64_MAX);
    night_.seed_fixed = fields.find("seed") != nullptr;
    take(fields, "rest_nights", night_.rest_nights, &Fields::number, 0, kMostNights);
    take(fields, "turn_within", night_.turn_within, &Fields::number, 1, kMostNights);
  }

  void read_executor(const Fields& fields) {
    take(fields, "jobs", night_.jobs, &Fields::number, 1, kMostJobs);
    take(fields, "gate", night_.gate, &Fields::boolean);
    if (const Node* isolation = fields.find("isolation")) {
      night_.isolation = kIsolations[fields.word(*isolation, "isolation", kIsolations)];
    }
    take(fields, "data_choices", night_.data_choices, &Fields::text);
    take(fields, "background", night_.background, &Fields::word, kBackgrounds);
  }

  void read_filters(const Fields& fields) {
    const Node* filters = fields.find("filters");
    if (filters == nullptr) return;
    if (filters->kind == Node::Kind::kText) {
      constexpr std::array<std::string_view, 2> kWords = {"shipped", "none"};
      night_.filters.none = fields.word(*filters, "filters", kWords) == 1;
      return;
    }
    for (const NodePtr& one : fields.list(*filters, "filters")) {
      night_.filters.files.push_back(existing(fields, *one, "a file of rules"));
    }
  }

  void read_limits(const Node& node) {
    const Fields fields(node, file_, "'limits'", kLimitKeys);
    NightLimits& limits = night_.limits;
    if (const Node* memory = fields.find("memory")) {
      limits.memory_kib = size_of(fields, *memory, "memory") >> 10;
    }
    take(fields, "free_at_least", limits.free_at_least_bytes, size_of);
    take(fields, "stuck_after", limits.stuck_after, duration_of);
    take(fields, "grace", limits.grace, duration_of);
    take(fields, "resume_within", limits.resume_within, duration_of);
  }

  void read_retention(const Node& node) {
    const Fields fields(node, file_, "'retention'", kRetentionKeys);
    take(fields, "nights", night_.retention.nights, &Fields::number, 1, kMostNights);
    take(fields, "space", night_.retention.bytes, size_of);
  }

  void read_outputs(const Node& node) {
    const Fields fields(node, file_, "'outputs'", kOutputKeys);
    NightOutputs& outputs = night_.outputs;
    if (const Node* reports = fields.find("reports"))
      outputs.reports = reports_of(fields, *reports);
    if (const Node* metrics = fields.find("metrics")) {
      outputs.metrics = absolute(fields.text(*metrics, "metrics"));
    }
    if (const Node* hook = fields.find("hook")) {
      outputs.hook = fields.text(*hook, "hook");
      if (outputs.hook.size() > kMaxHookBytes || outputs.hook.find('\0') != std::string::npos) {
        fields.fail(hook->line, fmt::format("the hook must be a shell command of up to {} bytes; "
                                            "put it into a script",
                                            kMaxHookBytes));
      }
    }
    take(fields, "hook_limit", outputs.hook_limit, duration_of);
  }

  std::string reports_of(const Fields& fields, const Node& node) {
    const std::vector<std::string_view> known = report_format_names();
    std::string joined;
    for (const NodePtr& one : entries(fields, node, "reports", known.size())) {
      joined += joined.empty() ? "" : ",";
      joined += known[fields.word(*one, "reports", known)];
    }
    return joined;
  }

  void check_stages(const Fields& fields) const {
    const size_t stages = night_.servers.size() * night_.options.size() * night_.corpora.size() *
                          night_.strategies.size();
    if (stages <= kMostNightStages) return;
    fields.fail(fields.line(),
                fmt::format("servers x options x corpora x strategies are {} stages; "
                            "at most {} fit into a night",
                            stages, kMostNightStages));
  }

  const Languages languages_ = languages();
  const RequestLanguage* language_ = languages_.front();  // of the servers that are hunted
  std::string file_;
  HuntFile night_;
};

}  // namespace

HuntFile parse_hunt_file(std::string_view yaml, const fs::path& file) {
  const std::vector<NodePtr> documents = parse_documents(yaml, file.string());
  if (documents.size() != 1) {
    throw InputError(file.string(), 0, "must hold one document; esox init writes a working one");
  }
  HuntFile night = Reader(file).read(*documents.front());
  night.text = yaml;
  return night;
}

HuntFile read_hunt_file(const fs::path& file) {
  return parse_hunt_file(file_text(file), file);
}

}  // namespace esox
