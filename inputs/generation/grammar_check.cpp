// SPDX-License-Identifier: Apache-2.0
#include "inputs/generation/grammar_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text/input_error.h"
#include "base/text/spelling.h"
#include "inputs/generation/limits.h"

namespace esox {
namespace {

class Check {
 public:
  Check(GrammarDraft draft, std::string file)
      : grammar_(std::move(draft.grammar)),
        sources_(std::move(draft.sources)),
        file_(std::move(file)) {
    for (size_t i = 0; i < grammar_.rules.size(); ++i) rules_[grammar_.rules[i].name] = i;
  }

  std::shared_ptr<const Grammar> run() {
    if (grammar_.requests.empty()) throw InputError(file_, 0, "has no 'requests'; add some");
    if (grammar_.setups.empty()) throw InputError(file_, 0, "has no 'setups'; add one");
    check_types();
    resolve_all();
    sizes_.assign(grammar_.rules.size(), kUnknown);
    for (size_t i = 0; i < grammar_.rules.size(); ++i) check_size(i);
    for (const Production& request : grammar_.requests) check_request(request);
    for (const RequestGroup& group : grammar_.groups) check_group(group);
    for (Sequence& sequence : grammar_.sequences) resolve_sequence(sequence);
    return std::make_shared<const Grammar>(std::move(grammar_));
  }

 private:
  static constexpr size_t kUnknown = static_cast<size_t>(-1);
  static constexpr size_t kBeingMeasured = static_cast<size_t>(-2);
  static constexpr size_t kBytesOfName = 64;  // of a name or a value: an estimate

  [[noreturn]] void fail(const std::string& what, std::string_view message) const {
    const auto source = sources_.find(what);
    if (source == sources_.end()) throw InputError(file_, 0, message);
    throw InputError(source->second.file, source->second.line, message);
  }

  void need_type(const std::string& name, const std::string& what, bool in_session) const {
    const NameType* type = grammar_.type(name);
    if (type != nullptr && (type->in_session || !in_session)) return;
    std::vector<std::string_view> names;
    for (const NameType& one : grammar_.types) {
      if (one.in_session || !in_session) names.push_back(one.name);
    }
    fail(what, fmt::format("{}: {} is not among {}{}", what, in_quotes(name),
                           in_session ? "'session'" : "'names' or 'session'",
                           spelling_hint(name, names)));
  }

  void check_types() const {
    for (const NameType& type : grammar_.types) {
      const std::string what = "name " + type.name;
      if (rules_.contains(type.name)) {
        fail("rule " + type.name,
             fmt::format("{} is a name and a rule; rename one", in_quotes(type.name)));
      }
      for (const std::string& owner : type.of) need_type(owner, what, false);
      if (!type.within.empty()) need_type(type.within, what, true);
      if (type.name.starts_with(kOnly))
        need_type(type.name.substr(std::string_view(kOnly).size()), what, false);
    }
    for (const Holding& holding : grammar_.known) {
      need_type(holding.type, "name " + holding.type, false);
    }
  }

  void resolve(Phrase& phrase, const std::string& what) const {
    for (Piece& piece : phrase) {
      if (piece.kind != Piece::Kind::kName) continue;
      const auto rule = rules_.find(piece.text);
      if (rule == rules_.end()) {
        if (grammar_.type(piece.text) != nullptr) continue;
        std::vector<std::string_view> names = {"value", "client", "letters"};
        for (const auto& [name, place] : rules_) names.push_back(name);
        for (const NameType& type : grammar_.types) names.push_back(type.name);
        const std::string_view near = nearest_name(piece.text, names);
        fail(what,
             fmt::format("{}: no rule and no name is called {}{}", what, in_quotes(piece.text),
                         near.empty() ? "; add it to 'rules' or 'names'"
                                      : fmt::format("; did you mean '{}'?", near)));
      }
      if (piece.is_new || piece.all || !piece.details.empty()) {
        fail(what, fmt::format("{}: {} is a rule; write {{{}}} alone", what, in_quotes(piece.text),
                               piece.text));
      }
      piece.kind = Piece::Kind::kRule;
      piece.rule = rule->second;
    }
  }

  void resolve_all() {
    for (GrammarRule& rule : grammar_.rules) {
      for (Phrase& phrase : rule.phrases) resolve(phrase, "rule " + rule.name);
    }
    for (auto& [type, phrases] : grammar_.values) {
      for (Phrase& phrase : phrases) resolve(phrase, "values " + type);
    }
    for (SetupProduction& setup : grammar_.setups) {
      for (Phrase& phrase : setup.statements) resolve(phrase, "setup " + setup.name);
    }
    for (Phrase& phrase : grammar_.named_clients) resolve(phrase, "named_clients");
    for (Production& request : grammar_.requests) {
      const std::string what = "request " + request.name;
      resolve(request.phrase, what);
      for (auto* marks : {&request.needs, &request.gives, &request.ends}) {
        for (SessionMark& mark : *marks) resolve(mark.name, what);
      }
    }
  }

  size_t size_of(const Phrase& phrase) {
    size_t bytes = 0;
    for (const Piece& piece : phrase) {
      if (piece.kind == Piece::Kind::kText) bytes += piece.text.size();
      if (piece.kind == Piece::Kind::kRule) bytes += check_size(piece.rule);
      if (piece.kind == Piece::Kind::kLetters) bytes += piece.letters;
      if (piece.kind == Piece::Kind::kName || piece.kind == Piece::Kind::kValue) {
        bytes += kBytesOfName;
      }
    }
    return bytes;
  }

  // The most that can come out of the rule.
  size_t check_size(size_t rule) {
    const std::string what = "rule " + grammar_.rules[rule].name;
    if (sizes_[rule] == kBeingMeasured) {
      fail(what, fmt::format("{} holds itself; write out what it repeats", what));
    }
    if (sizes_[rule] != kUnknown) return sizes_[rule];
    sizes_[rule] = kBeingMeasured;
    size_t most = 0;
    for (const Phrase& phrase : grammar_.rules[rule].phrases) {
      most = std::max(most, size_of(phrase));
    }
    if (most > kMostMadeBytes) {
      fail(what,
           fmt::format("{} can become longer than {} bytes; shorten it", what, kMostMadeBytes));
    }
    return sizes_[rule] = most;
  }

  // By a slot of a type of the session, or by a mark.
  bool is_given(const std::string& type) const {
    return std::ranges::any_of(grammar_.requests, [&](const Production& one) {
      const auto is_type = [&](const SessionMark& mark) { return mark.type == type; };
      const auto is_new = [&](const Piece& piece) {
        return piece.kind == Piece::Kind::kName && piece.is_new && piece.text == type;
      };
      return std::ranges::any_of(one.gives, is_type) || std::ranges::any_of(one.phrase, is_new);
    });
  }

  void check_request(const Production& request) {
    const std::string what = "request " + request.name;
    if (size_of(request.phrase) > kMostMadeBytes) {
      fail(what,
           fmt::format("{} can become longer than {} bytes; shorten it", what, kMostMadeBytes));
    }
    std::set<std::string> needed;
    for (const auto* marks : {&request.needs, &request.gives, &request.ends}) {
      for (const SessionMark& mark : *marks) need_type(mark.type, what, true);
    }
    for (const std::string& type : request.unless) need_type(type, what, true);
    for (const SessionMark& mark : request.needs) needed.insert(mark.type);
    for (const Piece& piece : request.phrase) {
      if (piece.kind != Piece::Kind::kName || piece.is_new) continue;
      if (grammar_.type(piece.text)->in_session) needed.insert(piece.text);
    }
    for (const std::string& type : needed) {
      if (is_given(type)) continue;
      fail(what, fmt::format("{} needs {} of its session, which no request gives; add one with "
                             "'gives'",
                             what, in_quotes(type)));
    }
  }

  void check_group(const RequestGroup& group) const {
    const std::string what = "group " + group.name;
    if (std::ranges::find(grammar_.requests, group.name, &Production::name) !=
        grammar_.requests.end()) {
      fail(what, fmt::format("{} is a group and a request; rename one", in_quotes(group.name)));
    }
    for (const std::string& one : group.requests) request_called(one, what);
  }

  void resolve_sequence(Sequence& sequence) const {
    const std::string what = "sequence " + sequence.name;
    for (SequenceStep& step : sequence.steps) {
      for (const std::string& name : step.names) {
        const auto group = std::ranges::find(grammar_.groups, name, &RequestGroup::name);
        const bool is_group = group != grammar_.groups.end();
        for (const std::string& one : is_group ? group->requests : std::vector{name}) {
          step.requests.push_back(request_called(one, what));
        }
      }
      if (step.requests.empty()) fail(what, what + " has a step without a request; add one");
    }
  }

  // Its place among the grammar's.
  size_t request_called(const std::string& request, const std::string& what) const {
    const auto found = std::ranges::find(grammar_.requests, request, &Production::name);
    if (found != grammar_.requests.end()) {
      return static_cast<size_t>(found - grammar_.requests.begin());
    }
    std::vector<std::string_view> names;
    for (const Production& one : grammar_.requests) names.push_back(one.name);
    for (const RequestGroup& one : grammar_.groups) names.push_back(one.name);
    fail(what, fmt::format("{}: no request and no group is called {}{}", what, in_quotes(request),
                           spelling_hint(request, names)));
  }

  Grammar grammar_;
  std::map<std::string, GrammarDraft::Source> sources_;
  std::string file_;
  std::map<std::string, size_t> rules_;
  std::vector<size_t> sizes_;
};

}  // namespace

const NameType* Grammar::type(std::string_view name) const {
  const auto found = std::ranges::find(types, name, &NameType::name);
  return found == types.end() ? nullptr : &*found;
}

std::shared_ptr<const Grammar> checked(GrammarDraft draft, const std::string& file) {
  return Check(std::move(draft), file).run();
}

}  // namespace esox
