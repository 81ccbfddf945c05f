// SPDX-License-Identifier: Apache-2.0
#include "targets/memcached/text_import.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <map>
#include <set>
#include <utility>

#include "inputs/limits.h"
#include "targets/memcached/key_slice.h"
#include "targets/memcached/language.h"
#include "targets/memcached/request.h"
#include "targets/memcached/text_script.h"

namespace esox {
namespace {

using Numbers = std::vector<size_t>;

bool conflict(const std::vector<SentRequest>& all, const Numbers& left, const Numbers& right) {
  return std::ranges::any_of(left, [&](size_t a) {
    return std::ranges::any_of(right, [&](size_t b) { return conflict(all[a], all[b]); });
  });
}

// Keys by a number, flags by their letters, data by kind and size: "cas #1 n2" for a number of two
// or three bytes.
class Shaper {
 public:
  std::string shape(const MemcachedRequest& request) {
    std::string shaped = request.command;
    for (const std::string& key : request.keys) {
      shaped += fmt::format(" #{}", roles_.emplace(key, roles_.size() + 1).first->second);
    }
    for (const std::string& flag : request.flags) {
      shaped += fmt::format(" {}", flag[0] == 'M' ? flag : flag.substr(0, 1));
    }
    if (!request.stores) return shaped;
    const bool number =
        std::ranges::all_of(request.data, [](unsigned char c) { return std::isdigit(c) != 0; });
    return shaped + fmt::format(" {}{}", number ? "n" : "t", std::bit_width(request.data.size()));
  }

 private:
  std::map<std::string, size_t> roles_;
};

// The request without the unique number that it names; empty: it names none.
std::string without_unique(const MemcachedRequest& request) {
  if (!compares_unique(request)) return "";
  std::vector<std::string> words = request.words;
  const bool cas = request.command == "cas";
  const auto unique =
      cas ? words.begin() + 5
          : std::find_if(words.begin() + 2, words.end(),
                         [](const std::string& word) { return word.starts_with('C'); });
  if (unique->ends_with(kCasPlaceholder)) return "";
  *unique = (cas ? "" : "C") + std::string(kCasPlaceholder);
  std::string text = fmt::format("{}", fmt::join(words, " "));
  return request.stores ? text + "\n" + request.data : text;
}

class TextImporter {
 public:
  explicit TextImporter(SelectionLimits limits) : selection_(limits) {}

  FilesImport run(const std::vector<ImportFile>& files) {
    read(files);
    result_.counts.stages["requests"] = all_.size();
    if (with_requests_ == 1) {
      one_session();
    } else {
      whole();
      for (size_t i = 0; i < requests_.size(); ++i) {
        for (size_t j = i + 1; j < requests_.size(); ++j) pairs_across(i, j);
      }
    }
    add_counts(result_.counts.rejected, selection_.left_out());
    return std::move(result_);
  }

 private:
  void read(const std::vector<ImportFile>& files) {
    check_number_of_files(files.size());
    std::vector<ImportScript> scripts;
    std::vector<std::string> paths;
    for (const ImportFile& file : files) {
      scripts.push_back(read_text_script(file.text, file.path));
      paths.push_back(file.path);
      names_.push_back(file_names_.name_for(file.path));
      for (const auto& [reason, number] : scripts.back().left_out) {
        result_.counts.rejected["request: " + reason] += number;
      }
    }
    requests_.resize(files.size());
    for (const bool setup_file : {true, false}) {
      for (size_t i = 0; i < files.size(); ++i) {
        if (files[i].setup_only == setup_file) add_setup(i, scripts[i], setup_file);
      }
    }
    for (size_t i = 0; i < files.size(); ++i) {
      if (!files[i].setup_only) add_requests(i, scripts[i]);
    }
    std::vector<size_t> numbers;
    for (const Numbers& own : requests_) numbers.push_back(own.size());
    with_requests_ = check_sessions(numbers, paths);
  }

  void add_setup(size_t session, const ImportScript& script, bool whole) {
    for (const ScriptRequest& request : script.requests) {
      if (!whole && request.part != FilePart::kSetup) continue;
      setup_.push_back(all_.size());
      add(session, request);
    }
  }

  void add_requests(size_t session, const ImportScript& script) {
    for (const ScriptRequest& request : script.requests) {
      if (request.part != FilePart::kRequests) continue;
      requests_[session].push_back(all_.size());
      add(session, request);
    }
  }

  void add(size_t session, const ScriptRequest& request) {
    SentRequest sent{session, request.line, request.text, memcached_request(request.text)};
    if (std::string text = without_unique(sent.request); !text.empty()) {
      sent.text = std::move(text);
      ++result_.counts.stages["unique numbers that became {cas}"];
    }
    all_.push_back(std::move(sent));
  }

  void one_session() {
    const auto only =
        std::ranges::find_if(requests_, [](const Numbers& own) { return !own.empty(); });
    const Numbers& own = *only;
    const std::string name = names_[static_cast<size_t>(only - requests_.begin())];
    std::vector<Candidate> found;
    for (size_t i = 0; i < own.size(); ++i) {
      runs_at(own, i, found);
      pair_at(own, i, found);
    }
    selection_.begin_test();
    make_all(name, in_order(std::move(found)), [&](const Candidate& candidate) {
      Numbers before = setup_;
      for (const size_t i : own) {
        if (i >= candidate.clients.back().back()) break;
        if (!is_member(candidate, i)) before.push_back(i);
      }
      return before;
    });
  }

  static bool is_member(const Candidate& candidate, size_t i) {
    return std::ranges::any_of(candidate.clients, [&](const Numbers& client) {
      return std::ranges::find(client, i) != client.end();
    });
  }

  // With the next request that conflicts: what comes after that one comes after both.
  void pair_at(const Numbers& own, size_t i, std::vector<Candidate>& found) {
    const size_t end = std::min(own.size(), i + 1 + kWindow);
    for (size_t j = i + 1; j < end; ++j) {
      ++result_.counts.stages["pairs looked at"];
      if (!conflict(all_[own[i]], all_[own[j]])) continue;
      found.push_back({Candidate::Form::kPair, {{own[i]}, {own[j]}}});
      return;
    }
  }

  void runs_at(const Numbers& own, size_t i, std::vector<Candidate>& found) const {
    for (const size_t length : {2, 3, 5}) {
      if (i + 2 * length > own.size()) return;
      const auto at = own.begin() + static_cast<ptrdiff_t>(i);
      const auto step = static_cast<ptrdiff_t>(length);
      const Numbers left(at, at + step);
      const Numbers right(at + step, at + 2 * step);
      if (conflict(all_, left, right)) found.push_back({Candidate::Form::kSessions, {left, right}});
    }
  }

  void whole() {
    Candidate candidate{Candidate::Form::kSessions, {}};
    for (const Numbers& own : requests_) {
      if (!own.empty()) candidate.clients.push_back(own);
    }
    ++result_.counts.stages["candidates: sessions"];
    const std::string complaint = whole_complaint(candidate, setup_.size());
    if (!complaint.empty()) {
      ++result_.counts.rejected[complaint];
    } else {
      keep("sessions", candidate, setup_);
    }
  }

  void pairs_across(size_t left, size_t right) {
    std::vector<Candidate> found;
    for (const size_t a : requests_[left]) {
      for (const size_t b : requests_[right]) {
        ++result_.counts.stages["pairs looked at"];
        if (conflict(all_[a], all_[b])) found.push_back({Candidate::Form::kPair, {{a}, {b}}});
      }
    }
    selection_.begin_test();
    make_all(names_[left] + "--" + names_[right], in_order(std::move(found)),
             [&](const Candidate& candidate) {
               Numbers before = setup_;
               for (const auto& [session, client] :
                    {std::pair(left, candidate.clients[0]), {right, candidate.clients[1]}}) {
                 for (const size_t i : requests_[session]) {
                   if (i < client.front()) before.push_back(i);
                 }
               }
               return before;
             });
  }

  std::string kinds_of(const Candidate& candidate) const {
    std::string kinds;
    for (const Numbers& client : candidate.clients) {
      kinds += kinds.empty() ? "" : " | ";
      for (const size_t i : client) kinds += (i == client[0] ? "" : ", ") + all_[i].request.command;
    }
    return kinds;
  }

  // One of each combination of commands, then a second one of each, and so on.
  std::vector<Candidate> in_order(std::vector<Candidate> candidates) const {
    std::map<std::string, size_t> seen;
    return by_weight(std::move(candidates),
                     [&](const Candidate& one) { return seen[kinds_of(one)]++; });
  }

  void make_all(const std::string& name, const std::vector<Candidate>& candidates,
                const auto& before) {
    size_t tries = 0;
    for (const Candidate& candidate : candidates) {
      ++result_.counts.stages[fmt::format("candidates: {}", name_of(candidate.form))];
      if (!selection_.wants(candidate.form)) continue;
      if (tries++ >= kMostPairTries) {
        ++result_.counts.rejected["not made: enough were tried"];
        continue;
      }
      const Numbers setup = key_slice(all_, candidate, before(candidate));
      if (setup.size() > kMostSetup) {
        ++result_.counts.rejected["setup: longer than the limit"];
        continue;
      }
      keep(name, candidate, setup);
    }
  }

  void keep(const std::string& name, const Candidate& candidate, const Numbers& setup) {
    ImportedInput imported;
    Input& input = imported.input;
    input.language = &memcached_language();
    Shaper shaper;
    for (const size_t i : setup) {
      input.setup.push_back(all_[i].text);
      imported.shape += shaper.shape(all_[i].request) + "; ";
    }
    for (const Numbers& client : candidate.clients) {
      imported.shape += "| ";
      for (const size_t i : client) imported.shape += shaper.shape(all_[i].request) + "; ";
      input.clients.push_back(client_of(client, input.clients.size()));
      for (const size_t i : client) imported.statements.push_back(i + 1);
    }
    input.id = fmt::format("text/{}/{:016x}", name, text_hash(input));
    input.title = title_of(candidate);
    imported.test = name;
    imported.form = candidate.form;
    imported.kinds = kinds_of(candidate);
    if (!selection_.keep(imported)) return;
    ++result_.counts.stages[fmt::format("inputs: {}", name_of(candidate.form))];
    result_.inputs.push_back(std::move(imported));
  }

  InputClient client_of(const Numbers& numbers, size_t place) const {
    InputClient client;
    client.name = std::string(1, static_cast<char>('A' + place));
    std::set<std::string> have;  // keys whose unique number it has been given
    for (const size_t i : numbers) {
      const SentRequest& sent = all_[i];
      client.requests.push_back({sent.text, true});
      if (gives_unique(sent.request))
        have.insert(sent.request.keys.begin(), sent.request.keys.end());
      if (!compares_unique(sent.request) || !have.insert(sent.request.keys.front()).second)
        continue;
      if (asked_before(numbers.front(), sent)) {
        const std::string& key = sent.request.keys.front();
        client.setup.push_back(is_plain_key(key) ? "gets " + key : "mg " + to_base64(key) + " b c");
      }
    }
    return client;
  }

  // Whether the session of `cas` asked for its key's unique number before its request `first`.
  bool asked_before(size_t first, const SentRequest& cas) const {
    for (size_t i = 0; i < first; ++i) {
      const bool asked = all_[i].session == cas.session && gives_unique(all_[i].request);
      if (asked && all_[i].names(cas.request.keys.front())) return true;
    }
    return false;
  }

  std::string title_of(const Candidate& candidate) const {
    return lines_title(
        candidate, [&](size_t i) { return names_[all_[i].session]; },
        [&](size_t i) { return all_[i].line; });
  }

  FileNames file_names_;
  std::vector<std::string> names_;  // of the files
  std::vector<SentRequest> all_;    // setup first
  Numbers setup_;
  std::vector<Numbers> requests_;  // of each file
  size_t with_requests_ = 0;
  Selection selection_;
  FilesImport result_;
};

}  // namespace

FilesImport import_text(const std::vector<ImportFile>& files, SelectionLimits limits) {
  return TextImporter(limits).run(files);
}

}  // namespace esox
