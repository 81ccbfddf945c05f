// SPDX-License-Identifier: Apache-2.0
// Marks in files to import: comments that say what the lines after them are for.
//
//   -- esox: setup       (# in files of a text protocol)
//   -- esox: requests
//
// A file begins with its requests, unless a mark says otherwise; a setup comes before the requests.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace esox {

enum class FilePart { kSetup, kRequests };

// A request of such a file.
struct ScriptRequest {
  std::string text;  // as it is to be sent
  int line = 0;      // of its beginning, from 1
  FilePart part = FilePart::kRequests;
};

struct ImportScript {
  std::vector<ScriptRequest> requests;
  std::map<std::string, size_t> left_out;  // by reason
};

inline constexpr size_t kMaxScriptRequests = 10000;

// Follows the marks of one file.
class PartMarks {
 public:
  explicit PartMarks(std::string file) : file_(std::move(file)) {}

  // `comment`: one, without the sign it begins with; most are no marks. Throws InputError: a mark
  // that is not known, or a setup after the requests.
  void read(std::string_view comment, int line);
  void saw_request() { requests_seen_ = requests_seen_ || part_ == FilePart::kRequests; }
  FilePart part() const { return part_; }

 private:
  std::string file_;
  FilePart part_ = FilePart::kRequests;
  bool requests_seen_ = false;
};

}  // namespace esox
