// SPDX-License-Identifier: Apache-2.0
#include "targets/memcached/text_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text/input_error.h"
#include "base/text/number.h"
#include "base/text/utf8.h"
#include "inputs/limits.h"
#include "targets/memcached/language.h"
#include "targets/memcached/request.h"

namespace esox {
namespace {

// Known to be one line each, but not about data.
constexpr std::string_view kBeside[] = {"cache_memlimit", "lru",      "lru_crawler", "quit",
                                        "slabs",          "shutdown", "watch"};

constexpr std::string_view kNoReply = "noreply";
// A file with more is none of memcached's requests.
constexpr size_t kMostRefusedLines = 20;

class Reader {
 public:
  Reader(std::string_view text, const std::string& file) : text_(text), file_(file), marks_(file) {}

  ImportScript run() {
    while (at_ < text_.size()) {
      begin_line_ = line_;
      const std::string_view line = next_line();
      if (line.starts_with('#')) {
        marks_.read(line.substr(1), begin_line_);
      } else if (line.find_first_not_of(" \t") != std::string_view::npos) {
        request(line);
      }
    }
    if (script_.requests.empty() && first_refused_) throw *first_refused_;
    return std::move(script_);
  }

 private:
  [[noreturn]] void fail(std::string_view message) const {
    throw InputError(file_, begin_line_, message);
  }

  // Without its end.
  std::string_view next_line() {
    const size_t end = std::min(text_.find('\n', at_), text_.size());
    std::string_view line = text_.substr(at_, end - at_);
    if (line.ends_with('\r')) line.remove_suffix(1);
    at_ = end + 1;
    ++line_;
    return line;
  }

  void request(std::string_view line) {
    std::string text = memcached_language().trimmed(line);
    const MemcachedRequest parsed = memcached_request(text);
    if (std::ranges::find(kBeside, parsed.command) != std::end(kBeside)) {
      leave_out("a command that is not about data (" + parsed.command + ")");
      return;
    }
    const bool noreply = parsed.words.size() > 1 && parsed.words.back() == kNoReply;
    const std::string complaint =
        memcached_line_complaint(noreply ? text.substr(0, text.rfind(kNoReply)) : text);
    if (!complaint.empty()) return refuse(text, complaint);
    if (parsed.stores) text.append("\n").append(data_of(parsed));
    marks_.saw_request();
    if (noreply) {
      leave_out("noreply: nobody knows when it has ended");
      return;
    }
    const std::string reason = unfit(text);
    if (!reason.empty()) return leave_out(reason);
    if (script_.requests.size() == kMaxScriptRequests) {
      fail(fmt::format("more than {} requests; split the file", kMaxScriptRequests));
    }
    script_.requests.push_back({std::move(text), begin_line_, marks_.part()});
  }

  std::string_view data_of(const MemcachedRequest& request) {
    const size_t bytes = number_of<size_t>(request.length).value_or(0);
    if (at_ > text_.size() || bytes > text_.size() - at_) {
      fail(fmt::format("{} says {} bytes, but the file ends before", request.command, bytes));
    }
    const std::string_view data = text_.substr(at_, bytes);
    at_ += bytes;
    line_ += static_cast<int>(std::ranges::count(data, '\n'));
    if (at_ < text_.size() && !next_line().empty()) {
      fail(fmt::format("{} says {} bytes, but its data is longer; make them equal", request.command,
                       bytes));
    }
    return data;
  }

  static std::string unfit(const std::string& text) {
    if (text.size() > kMaxStatementBytes) return "longer than a request may be";
    if (find_invalid_utf8(text) != std::string_view::npos) return "not UTF-8";
    if (memcached_language().trimmed(text) != text) return "its data is empty, or ends in a blank";
    if (text.find("${") != std::string::npos) return "has the sign of a placeholder";
    return "";
  }

  // Where one line is none of memcached's the next may still be; data after it is another such
  // line.
  void refuse(std::string_view line, const std::string& complaint) {
    const InputError error(file_, begin_line_, fmt::format("{}: {}", in_quotes(line), complaint));
    if (++refused_ > kMostRefusedLines) throw error;
    if (!first_refused_) first_refused_ = error;
    leave_out(error.what());
  }

  void leave_out(const std::string& reason) { ++script_.left_out[reason]; }

  std::string_view text_;
  const std::string& file_;
  PartMarks marks_;
  ImportScript script_;
  size_t at_ = 0;
  int line_ = 1;
  int begin_line_ = 1;  // of the request at hand
  size_t refused_ = 0;
  std::optional<InputError> first_refused_;
};

}  // namespace

ImportScript read_text_script(std::string_view text, const std::string& file) {
  if (text.size() > kMaxTextScriptBytes) {
    throw InputError(file, 0,
                     fmt::format("is larger than {} MB; split it", kMaxTextScriptBytes >> 20));
  }
  return Reader(text, file).run();
}

}  // namespace esox
