// SPDX-License-Identifier: Apache-2.0
// What imports say of themselves; and what those of files have in common: names, limits, and what
// comes of them.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "inputs/import/imported_input.h"
#include "inputs/limits.h"

namespace esox {

// How much there was at each stage, and what was left out, by reason.
struct ImportCounts {
  std::map<std::string, size_t> stages;
  std::map<std::string, size_t> rejected;
};

inline void add_counts(std::map<std::string, size_t>& counts,
                       const std::map<std::string, size_t>& more) {
  for (const auto& [name, number] : more) counts[name] += number;
}

// A file as the user named it.
struct ImportFile {
  std::string path;
  std::string text;
  bool setup_only = false;
};

struct FilesImport {
  std::vector<ImportedInput> inputs;
  ImportCounts counts;
};

inline constexpr size_t kMostImportFiles = 64;
// Of one session of several: beyond this, pairs would be looked for without an end.
inline constexpr size_t kMostSessionRequests = 256;
// Candidates of two files that are tried; most of what comes later has a shape that was there.
inline constexpr size_t kMostPairTries = 300;

// Throws InputError: none, or too many.
void check_number_of_files(size_t files);

// Throws InputError: no session has a request; or of several that have, one has too many.
// `requests` and `files` belong together. Gives how many sessions have requests.
size_t check_sessions(const std::vector<size_t>& requests, const std::vector<std::string>& files);

// Why all sessions as they are, with a setup of so many requests, are no input; empty: they are
// one.
std::string whole_complaint(const Candidate& sessions, size_t setup);

// "a.sql, line 3 | b.sql, lines 7 8": of requests by their numbers, the file's name and the line.
std::string lines_title(const Candidate& candidate, const auto& file_of, const auto& line_of) {
  std::string title;
  for (const std::vector<size_t>& client : candidate.clients) {
    title += fmt::format("{}{}, line{}", title.empty() ? "" : " | ", file_of(client[0]),
                         client.size() > 1 ? "s" : "");
    for (const size_t i : client) title += fmt::format(" {}", line_of(i));
  }
  return title.substr(0, kMaxTitleBytes);
}

// The lightest first, of equals in their order; `weight_of` is asked in that order.
std::vector<Candidate> by_weight(std::vector<Candidate> candidates, const auto& weight_of) {
  std::vector<std::pair<decltype(weight_of(candidates.front())), Candidate>> weighed;
  for (Candidate& one : candidates) {
    auto weight = weight_of(one);
    weighed.emplace_back(std::move(weight), std::move(one));
  }
  std::ranges::stable_sort(weighed, [](const auto& a, const auto& b) { return a.first < b.first; });
  candidates.clear();
  for (auto& [weight, one] : weighed) candidates.push_back(std::move(one));
  return candidates;
}

// "orders" of "dumps/orders.sql", fit for an id and a file's name; names met before get a number.
class FileNames {
 public:
  std::string name_for(const std::string& path);

 private:
  std::vector<std::string> taken_;
};

}  // namespace esox
