// SPDX-License-Identifier: Apache-2.0
#define PCRE2_CODE_UNIT_WIDTH 8
#include "filters/pattern.h"

#include <fmt/format.h>
#include <pcre2.h>

#include <cstdint>

namespace esox {
namespace {

// From each place of a text where a match may begin (pcre2api(3), "match limit"): plain patterns
// need a handful, and 64 KiB times this is a fraction of a second.
constexpr uint32_t kMaxSteps = 10'000;
constexpr uint32_t kMaxHeap_kib = 1024;

PCRE2_SPTR bytes_of(const std::string& text) {
  return reinterpret_cast<PCRE2_SPTR>(text.data());
}

}  // namespace

// Read by several threads at a time: matching keeps what it needs in match data of its own.
struct Pattern::Compiled {
  pcre2_code* code = nullptr;
  pcre2_match_context* limits = nullptr;
  Compiled() = default;
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;
  ~Compiled() {
    pcre2_match_context_free(limits);
    pcre2_code_free(code);
  }
};

namespace {

// One attempt from `begin` on: 1 found, 0 not, -1 given up.
class Matcher {
 public:
  Matcher(const pcre2_code* code, pcre2_match_context* limits)
      : code_(code), limits_(limits), data_(pcre2_match_data_create_from_pattern(code, nullptr)) {}
  ~Matcher() { pcre2_match_data_free(data_); }
  Matcher(const Matcher&) = delete;
  Matcher& operator=(const Matcher&) = delete;

  int find(const std::string& in, size_t begin, uint32_t options) {
    const int found = pcre2_match(code_, bytes_of(in), in.size(), begin, options, data_, limits_);
    if (found == PCRE2_ERROR_NOMATCH) return 0;
    return found < 0 ? -1 : 1;
  }
  size_t match_begin() const { return pcre2_get_ovector_pointer(data_)[0]; }
  size_t match_end() const { return pcre2_get_ovector_pointer(data_)[1]; }

 private:
  const pcre2_code* code_;
  pcre2_match_context* limits_;
  pcre2_match_data* data_;
};

}  // namespace

Pattern::Pattern(const std::string& text) : text_(text) {
  if (text.size() > kMaxPatternBytes) {
    throw PatternError(fmt::format("it is longer than {} bytes", kMaxPatternBytes));
  }
  auto compiled = std::make_shared<Compiled>();
  int error = 0;
  PCRE2_SIZE at = 0;
  // \C would split what \x{..} and the like stand for.
  compiled->code =
      pcre2_compile(bytes_of(text), text.size(), PCRE2_NEVER_BACKSLASH_C, &error, &at, nullptr);
  if (compiled->code == nullptr) {
    unsigned char message[200] = {};
    pcre2_get_error_message(error, message, sizeof message);
    throw PatternError(
        fmt::format("{} (at its character {})", reinterpret_cast<const char*>(message), at + 1));
  }
  compiled->limits = pcre2_match_context_create(nullptr);
  pcre2_set_match_limit(compiled->limits, kMaxSteps);
  pcre2_set_heap_limit(compiled->limits, kMaxHeap_kib);
  compiled_ = std::move(compiled);
}

std::optional<std::string> Pattern::replaced(const std::string& in,
                                             const std::string& placeholder) const {
  if (in.size() > kMaxPatternText) return std::nullopt;
  Matcher matcher(compiled_->code, compiled_->limits);
  std::string out;
  size_t done = 0;
  while (done < in.size()) {
    const int found = matcher.find(in, done, PCRE2_NOTEMPTY);
    if (found < 0) return std::nullopt;
    if (found == 0 || matcher.match_begin() < done) break;
    out.append(in, done, matcher.match_begin() - done);
    out += placeholder;
    done = matcher.match_end();
  }
  return out.append(in, done);
}

std::optional<bool> Pattern::found_in(const std::string& in) const {
  if (in.size() > kMaxPatternText) return std::nullopt;
  const int found = Matcher(compiled_->code, compiled_->limits).find(in, 0, 0);
  if (found < 0) return std::nullopt;
  return found > 0;
}

bool Pattern::matches_whole(const std::string& in) const {
  Matcher matcher(compiled_->code, compiled_->limits);
  constexpr uint32_t kWhole = PCRE2_ANCHORED | PCRE2_ENDANCHORED;
  return in.size() <= kMaxPatternText && matcher.find(in, 0, kWhole) > 0;
}

}  // namespace esox
