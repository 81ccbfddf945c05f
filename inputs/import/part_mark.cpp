// SPDX-License-Identifier: Apache-2.0
#include "inputs/import/part_mark.h"

#include <fmt/format.h>

#include "base/text/input_error.h"
#include "inputs/request_language.h"

namespace esox {

void PartMarks::read(std::string_view comment, int line) {
  static constexpr std::string_view kSign = "esox:";
  const std::string text = plain_language().trimmed(comment);
  if (!text.starts_with(kSign)) return;
  const std::string mark = plain_language().trimmed(text.substr(kSign.size()));
  if (mark == "requests") {
    part_ = FilePart::kRequests;
  } else if (mark != "setup") {
    throw InputError(
        file_, line,
        fmt::format("unknown mark {}; it is setup or requests", in_quotes("esox: " + mark)));
  } else if (requests_seen_) {
    throw InputError(file_, line, "a setup after requests; move it to the file's beginning");
  } else {
    part_ = FilePart::kSetup;
  }
}

}  // namespace esox
