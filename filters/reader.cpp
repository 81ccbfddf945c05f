// SPDX-License-Identifier: Apache-2.0
// See reader.h. Each kind of rule says which keys it takes; what the keys of the scope may be is in
// scope_reader.h.
#include "filters/reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/text/input_error.h"
#include "base/text/number.h"
#include "base/text/spelling.h"
#include "base/text/wildcard.h"
#include "base/yaml/document.h"
#include "base/yaml/fields.h"
#include "base/yaml/file_text.h"
#include "filters/expiry.h"
#include "filters/scope_reader.h"

namespace esox {
namespace {

constexpr size_t kMaxTextBytes = 2000;  // of a reason and the like
constexpr uint32_t kMaxErrorNumber = 65535;

constexpr std::string_view kFileKeys[] = {"server", "rules"};
constexpr std::string_view kRuleKeys[] = {
    "name",         "kind",           "reason",    "owner",     "expires",        "reply",
    "component",    "column",         "key",       "direction", "unless",         "pattern",
    "placeholder",  "errors",         "statement", "beside",    "object",         "engine",
    "from_version", "before_version", "text",      "into",      "without_option", "server",
    "after",        "input",          "task"};

// Keys that only some kinds of rule have, by kind.
constexpr std::array<std::string_view, 6> kKindKeys[] = {
    {"reply", "component", "key", "direction", "unless"},
    {"reply", "component", "column", "key"},
    {"reply", "component", "column", "key", "pattern", "placeholder"},
    {"reply", "component"},
    {"errors", "column", "pattern", "task"},
    {"into"},
};
constexpr std::string_view kOwnKeys[] = {"reply",     "component", "column",  "key",
                                         "direction", "unless",    "pattern", "placeholder",
                                         "errors",    "into",      "task"};

// Texts of many forms: a pattern that takes each of them whole leaves nothing to compare.
constexpr const char* const kProbes[] = {
    "a", "1", "x y", "-1.5", "2030-01-01 00:00:00", "t1, 'it''s' (2)"};

// Those behind `server`, one or a list.
KnownServers servers_at(const Fields& fields, const std::string& file, const KnownServers& known) {
  const Node& node = fields.require("server", "say of which server its rules are");
  KnownServers servers;
  for (const std::string& name : texts_at(fields, "server")) {
    servers.push_back(server_of(known, name, file, node.line));
  }
  return servers;
}

class RuleReader {
 public:
  // `servers`: of the file, from which the rule may name some.
  RuleReader(const Node& node, const std::string& file, const KnownServers& servers)
      : fields_(node, file, object_name(node, "rule"), kRuleKeys),
        servers_(fields_.find("server") == nullptr ? servers : servers_at(fields_, file, servers)),
        server_(servers_.front()) {
    for (const KnownServer& one : servers_) rule_.servers.emplace_back(one.language->server());
    rule_.origin = fields_.origin();
  }

  Rule read() {
    head();
    kind();
    place();
    if (rule_.kind == RuleKind::kIncluded) direction();
    if (rule_.kind == RuleKind::kNormalise) pattern();
    if (rule_.kind == RuleKind::kTolerate) failures();
    if (rule_.kind == RuleKind::kSplit) splitting();
    rule_.scope = read_scope(fields_, *server_.language);
    check_reach();
    if (rule_.kind == RuleKind::kSplit) check_splittable();
    return std::move(rule_);
  }

 private:
  [[noreturn]] void fail(int line, const std::string& message) const {
    fields_.fail(line, message);
  }
  [[noreturn]] void fail(const Node& node, const std::string& message) const {
    fail(node.line, message);
  }

  std::string words(std::string_view key, std::string_view remedy) const {
    const Node& node = fields_.require(key, remedy);
    const std::string& text = fields_.text(node, fmt::format("'{}'", key));
    const bool blank = text.find_first_not_of(" \t\n") == std::string::npos;
    if (!blank && text.size() <= kMaxTextBytes) return text;
    fail(node, fmt::format("'{}' in {} must have 1 to {} bytes; {}", key, fields_.object(),
                           kMaxTextBytes, remedy));
  }

  void head() {
    rule_.name = fields_.name(fields_.require("name", "add 'name: ...'"), "name");
    rule_.reason = words("reason", "say why what it hides is not a bug");
    rule_.owner = words("owner", "say who answers for it");
    const Node* expires = fields_.find("expires");
    if (expires == nullptr) return;
    const auto date = date_of(fields_.text(*expires, "'expires'"));
    if (!date) {
      fail(*expires, fmt::format("'expires' in {} must be a date such as 2027-06-30, not {}",
                                 fields_.object(), in_quotes(expires->text)));
    }
    rule_.expires = *date;
  }

  void kind() {
    const Node& node =
        fields_.require("kind", "say included, ignore, normalise, unordered, tolerate or split");
    rule_.kind = static_cast<RuleKind>(fields_.word(node, "kind", kRuleKindNames));
    refuse_foreign_keys();
  }

  void refuse_foreign_keys() const {
    const auto& keys = kKindKeys[static_cast<size_t>(rule_.kind)];
    for (const std::string_view key : kOwnKeys) {
      const Node* node = fields_.find(key);
      if (node == nullptr || std::ranges::find(keys, key) != keys.end()) continue;
      fail(*node, fmt::format("'{}' says nothing in {}, which is of the kind {}; remove it", key,
                              fields_.object(), kind_name(rule_.kind)));
    }
  }

  void place() {
    if (rule_.kind == RuleKind::kTolerate || rule_.kind == RuleKind::kSplit) return;
    const Node* reply = fields_.find("reply");
    const Node* component = fields_.find("component");
    if ((reply == nullptr) == (component == nullptr)) {
      fail(fields_.line(),
           fmt::format("{} must name one place: either 'reply: PART' or 'component: NAME'",
                       fields_.object()));
    }
    if (reply != nullptr) {
      reply_place(*reply);
    } else {
      component_place(*component);
    }
  }

  void reply_place(const Node& node) {
    rule_.reply = static_cast<ReplyPart>(fields_.word(node, "reply", kReplyPartNames));
    check_part(node);
    if (const Node* key = fields_.find("key")) {
      fail(*key, fmt::format(
                     "{} can match nothing: a reply has no keys; name a 'column', or a 'component'",
                     fields_.object()));
    }
    const Node* column = fields_.find("column");
    if (column == nullptr) return;
    if (rule_.reply != ReplyPart::kRows) {
      fail(*column, fmt::format("{} can match nothing: only rows have columns; say 'reply: rows'",
                                fields_.object()));
    }
    rule_.column = words("column", "name a column of the reply");
  }

  // Which parts each kind knows how to compare otherwise.
  void check_part(const Node& node) const {
    static constexpr std::array<ReplyPart, 1> kUnordered = {ReplyPart::kRows};
    static constexpr std::array<ReplyPart, 2> kIncluded = {ReplyPart::kRows, ReplyPart::kWarnings};
    static constexpr std::array<ReplyPart, 4> kNormalise = {
        ReplyPart::kRows, ReplyPart::kInfo, ReplyPart::kMessage, ReplyPart::kWarnings};
    std::span<const ReplyPart> parts;
    if (rule_.kind == RuleKind::kUnordered) parts = kUnordered;
    if (rule_.kind == RuleKind::kIncluded) parts = kIncluded;
    if (rule_.kind == RuleKind::kNormalise) parts = kNormalise;
    if (parts.empty() || std::ranges::find(parts, *rule_.reply) != parts.end()) return;
    const auto name_of = [](ReplyPart part) { return kReplyPartNames[static_cast<size_t>(part)]; };
    std::vector<std::string_view> names;
    for (const ReplyPart part : parts) names.push_back(name_of(part));
    fail(node,
         fmt::format("{} can match nothing: a rule of the kind {} is for {} of a reply, not for {}",
                     fields_.object(), kind_name(rule_.kind), fmt::join(names, ", "),
                     name_of(*rule_.reply)));
  }

  void component_place(const Node& node) {
    rule_.component = fields_.text(node, "'component'");
    std::vector<ComponentFacts> possible;
    std::vector<std::string_view> names;
    for (const ComponentFacts& known : server_.all_components()) {
      names.push_back(known.name);
      if (overlap(rule_.component, known.name)) possible.push_back(known);
    }
    if (possible.empty()) {
      fail(node, fmt::format("the state of a {} has no component {}{}", rule_.servers.front(),
                             in_quotes(rule_.component), spelling_hint(rule_.component, names)));
    }
    if (possible.size() == names.size()) {
      fail(node,
           fmt::format("{} hides everything: {} is every component; name those that are meant",
                       fields_.object(), in_quotes(rule_.component)));
    }
    check_shape(node, possible);
    if (const Node* column = fields_.find("column")) {
      fail(*column, fmt::format("{} can match nothing: a component has no columns; use 'normalise' "
                                "with a pattern, or 'key' in a map",
                                fields_.object()));
    }
  }

  void check_shape(const Node& node, const std::vector<ComponentFacts>& possible) {
    const auto some = [&](bool ComponentFacts::*has) {
      return std::ranges::any_of(possible, [&](const ComponentFacts& one) { return one.*has; });
    };
    if (fields_.find("key") != nullptr) {
      rule_.key = words("key", "name a key of the map");
      if (!some(&ComponentFacts::has_keys)) {
        fail(node, fmt::format("{} can match nothing: {} is no map and has no keys; remove 'key'",
                               fields_.object(), in_quotes(rule_.component)));
      }
    }
    if (rule_.kind == RuleKind::kUnordered && !some(&ComponentFacts::ordered)) {
      fail(node, fmt::format("{} can match nothing: the order of {} does not count anyway",
                             fields_.object(), in_quotes(rule_.component)));
    }
  }

  void direction() {
    const Node& node = fields_.require(
        "direction",
        "say in-serial (the execution may lack some), holds-serial (it may have more) or either");
    rule_.direction = static_cast<Direction>(fields_.word(node, "direction", kDirectionNames));
    if (fields_.find("unless") != nullptr) rule_.unless = regular_expression("unless");
  }

  Pattern regular_expression(std::string_view key) const {
    (void)words(key, "give a regular expression");
    return *pattern_at(fields_, key);
  }

  void pattern() {
    rule_.pattern = telling_pattern("pattern");
    const Node& placeholder =
        fields_.require("placeholder", "say what is to stand in place of what matches, as in <n>");
    rule_.placeholder = fields_.text(placeholder, "'placeholder'");
  }

  Pattern telling_pattern(std::string_view key) const {
    const Node& node = fields_.require(key, "give a regular expression");
    Pattern pattern = regular_expression(key);
    const bool takes_all = std::ranges::all_of(
        kProbes, [&](const char* probe) { return pattern.matches_whole(probe); });
    if (!takes_all) return pattern;
    fail(node,
         fmt::format(
             "{} hides everything: its pattern matches any text; narrow it, or say 'kind: ignore'",
             fields_.object()));
  }

  // Servers that go through a list tell of failures in rows.
  void failures() {
    if (fields_.find("task") != nullptr) return failures_of_task();
    if (fields_.find("column") == nullptr && fields_.find("pattern") == nullptr) return errors();
    rule_.column = words("column", "name the column of the reply in which the failure is told");
    rule_.pattern = telling_pattern("pattern");
    if (fields_.find("errors") != nullptr) errors();
  }

  // Nobody is told of these but by the server's log.
  void failures_of_task() {
    for (const char* key : {"errors", "column", "pattern"}) {
      const Node* node = fields_.find(key);
      if (node == nullptr) continue;
      fail(*node, fmt::format("'{}' says nothing in {}: a task of the server's own has no reply; "
                              "remove it, or 'task'",
                              key, fields_.object()));
    }
    rule_.task = telling_pattern("task");
  }

  void errors() {
    const Node& node = fields_.require("errors", "list the numbers, as in [1213, 1205]");
    for (const std::string& written : texts_at(fields_, "errors")) {
      const auto number = number_of<uint32_t>(written);
      if (!number || *number == 0 || *number > kMaxErrorNumber) {
        fail(node, fmt::format("'errors' in {}: {} is no error number from 1 to {}",
                               fields_.object(), in_quotes(written), kMaxErrorNumber));
      }
      rule_.errors.push_back(*number);
    }
  }

  void splitting() {
    const std::span<const Splitting> known = server_.language->splittings();
    std::vector<std::string_view> names;
    for (const Splitting& one : known) names.push_back(one.name);
    const Node& node =
        fields_.require("into", fmt::format("say one of {}", fmt::join(names, ", ")));
    rule_.into = fields_.text(node, "'into'");
    if (std::ranges::find(names, rule_.into) != names.end()) return;
    fail(node, fmt::format("{} can be split into {}, not into {}{}", fields_.object(),
                           names.empty() ? "nothing" : fmt::format("{}", fmt::join(names, " or ")),
                           in_quotes(rule_.into), spelling_hint(rule_.into, names)));
  }

  // It is argued for statements beside others, and for those that have such parts.
  void check_splittable() const {
    const auto& kinds = rule_.scope.statements;
    if (kinds.empty() || rule_.scope.beside.empty()) {
      fail(fields_.line(),
           fmt::format("{} is of the kind split; say of which 'statement' and 'beside' which",
                       fields_.object()));
    }
    const std::span<const Splitting> all = server_.language->splittings();
    const auto into = std::ranges::find(all, rule_.into, &Splitting::name);
    const auto has_parts = [&](const std::string& kind) {
      return std::ranges::find(into->kinds, kind) != into->kinds.end();
    };
    if (std::ranges::all_of(kinds, has_parts)) return;
    fail(fields_.line(), fmt::format("{} can match nothing: into {} is for {}", fields_.object(),
                                     rule_.into, fmt::join(into->kinds, ", ")));
  }

  // An empty reply is contained in any: of which statements must be said.
  void check_reach() const {
    const bool whole_rows = rule_.reply == ReplyPart::kRows && rule_.column.empty() &&
                            (rule_.kind == RuleKind::kIgnore || rule_.kind == RuleKind::kIncluded);
    if (!whole_rows || !rule_.scope.statements.empty()) return;
    fail(fields_.line(), fmt::format("{} hides everything: it is for the rows of all replies; say "
                                     "for which by 'statement: [...]'",
                                     fields_.object()));
  }

  const Fields fields_;
  const KnownServers servers_;
  const KnownServer& server_;  // whose words are checked: servers of one file are much the same
  Rule rule_;
};

std::vector<Rule> rules_of(const Node& document, const std::string& file,
                           const KnownServers& servers) {
  const Fields fields(document, file, "a file of filters", kFileKeys);
  const KnownServers named = servers_at(fields, file, servers);
  const Node& list = fields.require("rules", "list them under 'rules:'");
  std::vector<Rule> rules;
  for (const NodePtr& item : fields.list(list, "rules")) {
    if (rules.size() == kMaxRules) {
      fields.fail(item->line, fmt::format("more than {} rules; use fewer", kMaxRules));
    }
    rules.push_back(RuleReader(*item, file, named).read());
  }
  if (rules.empty()) fields.fail(list.line, "'rules' is empty; write one, or say --no-filters");
  return rules;
}

void refuse_equal_names(const RuleSet& set) {
  std::map<std::string, const Rule*> known;
  for (const Rule& rule : set.rules) {
    const auto [first, is_new] = known.emplace(rule.name, &rule);
    if (is_new) continue;
    throw InputError("", 0,
                     fmt::format("{}: the name {} is already used at {}; choose another",
                                 rule.origin, in_quotes(rule.name), first->second->origin));
  }
}

}  // namespace

RuleSet parse_rules(const std::vector<FilterText>& texts, const KnownServers& servers) {
  RuleSet set;
  for (const FilterText& one : texts) {
    const std::vector<NodePtr> documents = parse_documents(one.text, one.file);
    if (documents.size() != 1) {
      throw InputError(one.file, 0, "must hold one YAML document of filters; see docs/filters.md");
    }
    for (Rule& rule : rules_of(*documents.front(), one.file, servers)) {
      set.rules.push_back(std::move(rule));
    }
    set.texts.push_back(one);
  }
  refuse_equal_names(set);
  return set;
}

RuleSet parse_rules(const std::string& yaml, const std::string& file, const KnownServers& servers) {
  return parse_rules(std::vector<FilterText>{{file, yaml}}, servers);
}

RuleSet read_rules(const std::vector<std::filesystem::path>& files, const KnownServers& servers) {
  std::vector<FilterText> texts;
  texts.reserve(files.size());
  for (const std::filesystem::path& file : files) texts.push_back({file.string(), file_text(file)});
  return parse_rules(texts, servers);
}

}  // namespace esox
