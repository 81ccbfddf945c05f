// SPDX-License-Identifier: Apache-2.0
// Files to a draft, in which later files take the place of earlier ones by name. What must hold
// across it is in grammar_check.cpp.
#include "inputs/generation/grammar_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/mapped.h"
#include "base/text/input_error.h"
#include "base/text/number.h"
#include "base/yaml/document.h"
#include "base/yaml/fields.h"
#include "base/yaml/file_text.h"
#include "inputs/generation/grammar_check.h"
#include "inputs/generation/limits.h"
#include "inputs/request_fields.h"

namespace esox {
namespace {

constexpr std::string_view kGrammarKeys[] = {"server",        "include",  "names",  "session",
                                             "known",         "values",   "rules",  "setups",
                                             "named_clients", "requests", "groups", "sequences"};
constexpr std::string_view kRequestKeys[] = {"text", "weight", "needs",  "gives",
                                             "ends", "unless", "defines"};
constexpr std::string_view kSequenceKeys[] = {"requests", "weight"};
constexpr std::string_view kSetupKeys[] = {"statements", "weight", "server_options"};
constexpr std::string_view kBuiltIn[] = {"value", "client", "letters", "new", "quoted", "only"};

using Included = std::function<std::string(const std::string&)>;

// One item of a list that may be written as a text alone.
std::vector<const Node*> items_of(const Node& node) {
  if (node.kind != Node::Kind::kList) return {&node};
  return mapped<const Node*>(node.items, [&](const NodePtr& item) { return item.get(); });
}

class Reader {
 public:
  Reader(const Languages& languages, const Included& included)
      : languages_(languages), included_(included) {}

  void read(std::string_view yaml, const std::string& file, size_t depth) {
    if (++files_ > kMostIncludes || depth > kMostIncludes) {
      throw InputError(file, 0, fmt::format("includes more than {} files", kMostIncludes));
    }
    const std::vector<NodePtr> documents = parse_documents(yaml, file);
    if (documents.size() != 1) {
      throw InputError(file, 0, "holds no grammar, or several; see docs/grammars.md");
    }
    file_ = file;
    const Fields fields(*documents[0], file, "the grammar", kGrammarKeys);
    read_includes(fields, depth);
    file_ = file;
    if (const Node* server = fields.find("server")) {
      draft_.grammar.language =
          &language_of(languages_, fields.text(*server, "server"), file, server->line);
    }
    if (draft_.grammar.language == nullptr && depth == 0) {
      fields.require("server", "add 'server: NAME'");
    }
    read_names(fields, "names", false);
    read_names(fields, "session", true);
    read_known(fields);
    read_values(fields);
    read_rules(fields);
    read_setups(fields, depth);
    if (const Node* node = fields.find("named_clients")) {
      draft_.sources["named_clients"] = {file_, node->line};
      draft_.grammar.named_clients = phrases_of(*node, "'named_clients'");
    }
    read_requests(fields);
    read_groups(fields);
    read_sequences(fields);
  }

  GrammarDraft take() { return std::move(draft_); }

 private:
  [[noreturn]] void fail(int line, std::string_view message) const {
    throw InputError(file_, line, message);
  }

  void read_includes(const Fields& fields, size_t depth) {
    const Node* node = fields.find("include");
    if (node == nullptr) return;
    for (const Node* item : items_of(*node)) {
      const std::string name = fields.name(*item, "include");
      std::string text;
      try {
        text = included_(name);
      } catch (const InputError& error) {
        fail(item->line, fmt::format("includes {}: {}", in_quotes(name), error.message()));
      }
      const std::string file = file_;
      read(text, name, depth + 1);
      file_ = file;
    }
  }

  void check_new_name(const std::string& name, int line) const {
    const bool good = !name.empty() && std::ranges::all_of(name, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    });
    if (!good || (name[0] >= '0' && name[0] <= '9')) {
      fail(line, fmt::format("{} is no name; take small letters, digits and '_'", in_quotes(name)));
    }
    if (std::ranges::find(kBuiltIn, name) != std::end(kBuiltIn)) {
      fail(line, fmt::format("{} has a meaning of its own; take another name", in_quotes(name)));
    }
  }

  // "table", "column of table view", "savepoint in transaction", "xa_idle alone", "held brief",
  // "only table".
  void read_names(const Fields& fields, std::string_view key, bool in_session) {
    const Node* node = fields.find(key);
    if (node == nullptr) return;
    for (const NodePtr& item : fields.list(*node, key)) {
      NameType type{.in_session = in_session};
      std::vector<std::string> words;
      for (std::string rest = fields.text(*item, key) + " "; !rest.empty();) {
        const size_t end = rest.find(' ');
        if (end > 0) words.push_back(rest.substr(0, end));
        rest.erase(0, end + 1);
      }
      if (words.empty()) fail(item->line, fmt::format("'{}' has an empty name", key));
      size_t at = 1;
      type.name = words[0];
      if (in_session && words.size() == 2 && words[0] + " " == kOnly) {
        type.name += " " + words[1];
        at = 2;
      } else {
        check_new_name(type.name, item->line);
      }
      if (!in_session && at + 1 < words.size() && words[at] == "of") {
        type.of.assign(words.begin() + 2, words.end());
        at = words.size();
      }
      if (in_session && at + 1 < words.size() && words[at] == "in") {
        type.within = words[at + 1];
        at += 2;
      }
      for (; in_session && at < words.size(); ++at) {
        if (words[at] != "alone" && words[at] != "brief") break;
        (words[at] == "alone" ? type.alone : type.brief) = true;
      }
      if (at < words.size()) {
        fail(item->line,
             fmt::format("{} in '{}' is not understood; write {}",
                         in_quotes(fields.text(*item, key)), key,
                         in_session ? "NAME, NAME in NAME, NAME alone, NAME brief, or only NAME"
                                    : "NAME, or NAME of NAME"));
      }
      draft_.sources["name " + type.name] = {file_, item->line};
      add_by_name(draft_.grammar.types, std::move(type), kMostTypes, item->line);
    }
  }

  // The keys of a mapping, each with a list of texts.
  void for_each_key(const Fields& fields, std::string_view key, const auto& use) {
    const Node* node = fields.find(key);
    if (node == nullptr) return;
    if (node->kind != Node::Kind::kMapping) {
      fail(node->line,
           fmt::format("'{}' must be a mapping of names, not {}", key, kind_name(node->kind)));
    }
    for (const Field& field : node->fields) use(field);
  }

  const std::string& text_of(const Node& node, const std::string& object) const {
    if (node.kind != Node::Kind::kText) {
      fail(node.line, fmt::format("{} must be a text, not {}; put quotes around a text that "
                                  "begins with a brace or holds ': '",
                                  object, kind_name(node.kind)));
    }
    return node.text;
  }

  Phrase phrase_of(const Node& node, const std::string& object) const {
    const std::string& text = text_of(node, object);
    try {
      return parse_phrase(text);
    } catch (const std::invalid_argument& error) {
      fail(node.line, fmt::format("{}: {}", object, error.what()));
    }
  }

  std::vector<Phrase> phrases_of(const Node& node, const std::string& object) const {
    std::vector<Phrase> phrases;
    for (const Node* item : items_of(node)) {
      if (phrases.size() >= kMostPhrases) {
        fail(item->line, fmt::format("{} has more than {} phrases", object, kMostPhrases));
      }
      phrases.push_back(phrase_of(*item, object));
    }
    if (phrases.empty()) fail(node.line, fmt::format("{} has no phrase; add one", object));
    return phrases;
  }

  void read_known(const Fields& fields) {
    for_each_key(fields, "known", [&](const Field& field) {
      for (const Node* item : items_of(*field.value)) {
        draft_.sources["name " + field.key].line = item->line;
        draft_.sources["name " + field.key].file = file_;
        draft_.grammar.known.push_back(
            {field.key, text_of(*item, fmt::format("'known' of {}", field.key)), "", ""});
      }
      if (draft_.grammar.known.size() > kMostHoldings) {
        fail(field.line, fmt::format("'known' has more than {} names", kMostHoldings));
      }
    });
  }

  void read_values(const Fields& fields) {
    for_each_key(fields, "values", [&](const Field& field) {
      draft_.sources["values " + field.key] = {file_, field.line};
      draft_.grammar.values[field.key] =
          phrases_of(*field.value, fmt::format("values for {}", in_quotes(field.key)));
      if (draft_.grammar.values.size() > kMostRules) {
        fail(field.line, fmt::format("'values' has more than {} types", kMostRules));
      }
    });
  }

  void read_rules(const Fields& fields) {
    for_each_key(fields, "rules", [&](const Field& field) {
      check_new_name(field.key, field.line);
      draft_.sources["rule " + field.key] = {file_, field.line};
      GrammarRule rule{field.key,
                       phrases_of(*field.value, fmt::format("rule {}", in_quotes(field.key)))};
      add_by_name(draft_.grammar.rules, std::move(rule), kMostRules, field.line);
    });
  }

  size_t weight_of(const Fields& fields) const {
    const Node* node = fields.find("weight");
    if (node == nullptr) return 1;
    const auto weight = number_of<size_t>(fields.text(*node, "weight"));
    if (!weight || *weight < 1 || *weight > kMostWeight) {
      fail(node->line, fmt::format("'weight' of {} must be a number from 1 to {}", fields.object(),
                                   kMostWeight));
    }
    return *weight;
  }

  void read_setups(const Fields& grammar, size_t depth) {
    for_each_key(grammar, "setups", [&](const Field& field) {
      draft_.sources["setup " + field.key] = {file_, field.line};
      SetupProduction setup{.name = field.key};
      const std::string object = fmt::format("setup {}", in_quotes(field.key));
      const Node* statements = field.value.get();
      if (statements->kind == Node::Kind::kMapping) {
        const Fields fields(*field.value, file_, object, kSetupKeys);
        setup.weight = weight_of(fields);
        const RequestLanguage& language =
            draft_.grammar.language != nullptr ? *draft_.grammar.language : plain_language();
        if (depth > 0 && fields.find("server_options") != nullptr) {
          fail(field.line, fmt::format("{} has server_options, which only a grammar of one server "
                                       "may say; move it there",
                                       object));
        }
        setup.server_options = server_options_of(fields, language);
        statements = &fields.require("statements", "add a list of them");
      }
      for (const Node* item : items_of(*statements)) {
        setup.statements.push_back(phrase_of(*item, object));
        if (setup.statements.size() > kMostSetupStatements) {
          fail(item->line,
               fmt::format("{} has more than {} statements", object, kMostSetupStatements));
        }
      }
      add_by_name(draft_.grammar.setups, std::move(setup), kMostRules, field.line);
    });
  }

  std::vector<SessionMark> marks_of(const Fields& fields, std::string_view key) const {
    const Node* node = fields.find(key);
    std::vector<SessionMark> marks;
    if (node == nullptr) return marks;
    for (const Node* item : items_of(*node)) {
      const std::string& text = fields.text(*item, key);
      const size_t slot = std::min(text.find('{'), text.size());
      std::string type = text.substr(0, slot);
      while (type.ends_with(' ')) type.pop_back();
      SessionMark mark{type, {}};
      try {
        mark.name = parse_phrase(std::string_view(text).substr(slot));
      } catch (const std::invalid_argument& error) {
        fail(item->line, fmt::format("'{}' of {}: {}", key, fields.object(), error.what()));
      }
      if (mark.name.size() > 1) {
        fail(item->line, fmt::format("'{}' of {} must be a type and at most one slot, as in "
                                     "'handler {{table}}'",
                                     key, fields.object()));
      }
      marks.push_back(std::move(mark));
    }
    return marks;
  }

  void read_requests(const Fields& grammar) {
    for_each_key(grammar, "requests", [&](const Field& field) {
      draft_.sources["request " + field.key] = {file_, field.line};
      Production request{.name = field.key};
      const std::string object = fmt::format("request {}", in_quotes(field.key));
      if (field.value->kind == Node::Kind::kMapping) {
        const Fields fields(*field.value, file_, object, kRequestKeys);
        request.phrase = phrase_of(fields.require("text", "add one"), object);
        request.weight = weight_of(fields);
        request.needs = marks_of(fields, "needs");
        request.gives = marks_of(fields, "gives");
        request.ends = marks_of(fields, "ends");
        for (SessionMark& mark : marks_of(fields, "unless")) request.unless.push_back(mark.type);
        if (const Node* node = fields.find("defines")) {
          request.defines = fields.boolean(*node, "defines");
        }
      } else {
        request.phrase = phrase_of(*field.value, object);
      }
      if (request.phrase.empty()) fail(field.line, object + " is empty; write a text");
      add_by_name(draft_.grammar.requests, std::move(request), kMostRules, field.line);
    });
  }

  std::vector<std::string> names_of(const Node& node, const std::string& object) const {
    return mapped<std::string>(items_of(node),
                               [&](const Node* item) { return text_of(*item, object); });
  }

  void read_groups(const Fields& grammar) {
    for_each_key(grammar, "groups", [&](const Field& field) {
      check_new_name(field.key, field.line);
      draft_.sources["group " + field.key] = {file_, field.line};
      RequestGroup group{field.key,
                         names_of(*field.value, fmt::format("group {}", in_quotes(field.key)))};
      add_by_name(draft_.grammar.groups, std::move(group), kMostRules, field.line);
    });
  }

  void read_sequences(const Fields& grammar) {
    for_each_key(grammar, "sequences", [&](const Field& field) {
      draft_.sources["sequence " + field.key] = {file_, field.line};
      Sequence sequence{.name = field.key};
      const std::string object = fmt::format("sequence {}", in_quotes(field.key));
      const Node* requests = field.value.get();
      if (requests->kind == Node::Kind::kMapping) {
        const Fields fields(*requests, file_, object, kSequenceKeys);
        sequence.weight = weight_of(fields);
        requests = &fields.require("requests", "add a list of them");
      }
      for (const Node* item : items_of(*requests)) {
        sequence.steps.push_back({names_of(*item, object), {}});
      }
      if (sequence.steps.empty() || sequence.steps.size() > kMostMadeRequests) {
        fail(field.line, fmt::format("{} has {} requests; write 1 to {}", object,
                                     sequence.steps.size(), kMostMadeRequests));
      }
      add_by_name(draft_.grammar.sequences, std::move(sequence), kMostRules, field.line);
    });
  }

  // In the place of one of an included file that has the name.
  template <class Item>
  void add_by_name(std::vector<Item>& items, Item item, size_t most, int line) const {
    const auto same = std::ranges::find(items, item.name, &Item::name);
    if (same != items.end()) {
      *same = std::move(item);
    } else {
      items.push_back(std::move(item));
    }
    if (items.size() > most) {
      fail(line, fmt::format("the grammar has more than {} of these; leave some out", most));
    }
  }

  const Languages& languages_;
  const Included& included_;
  GrammarDraft draft_;
  std::string file_;
  size_t files_ = 0;
};

}  // namespace

std::shared_ptr<const Grammar> parse_grammar(std::string_view yaml, const std::string& file,
                                             const Languages& languages, const Included& included) {
  Reader reader(languages, included);
  reader.read(yaml, file, 0);
  return checked(reader.take(), file);
}

std::shared_ptr<const Grammar> read_grammar(const std::filesystem::path& file,
                                            const Languages& languages) {
  return parse_grammar(file_text(file), file.string(), languages, [&](const std::string& name) {
    return file_text(file.parent_path() / name);
  });
}

}  // namespace esox
