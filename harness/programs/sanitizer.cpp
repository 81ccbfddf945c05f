// SPDX-License-Identifier: Apache-2.0
#include "harness/programs/sanitizer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/process/dynamic_part.h"

namespace esox {
namespace {

struct Sanitizer {
  const char* library;  // gcc's, which the program needs
  const char* symbol;   // clang's is part of the program, which gives this
  const char* flag;
};

constexpr Sanitizer kSanitizers[] = {
    {"libtsan.so", "__tsan_init", "thread"},        {"libasan.so", "__asan_init", "address"},
    {"libclang_rt.asan", "__asan_init", "address"}, {"libclang_rt.tsan", "__tsan_init", "thread"},
    {"libhwasan.so", "__hwasan_init", "hwaddress"}, {"liblsan.so", "__lsan_init", "leak"},
    {"libmsan.so", "__msan_init", "memory"}};

bool has(const DynamicPart& part, const Sanitizer& sanitizer) {
  return std::ranges::any_of(
             part.needed,
             [&](const std::string& name) { return name.starts_with(sanitizer.library); }) ||
         std::ranges::any_of(part.symbols, [&](const DynamicSymbol& symbol) {
           return symbol.defined && symbol.name == sanitizer.symbol;
         });
}

}  // namespace

std::string sanitizer_refusal(const std::filesystem::path& program) {
  const DynamicPart part = dynamic_part(program);
  for (const Sanitizer& sanitizer : kSanitizers) {
    if (!has(part, sanitizer)) continue;
    const bool accesses = std::string_view(sanitizer.flag) == "thread";
    return fmt::format("{} has the runtime of -fsanitize={} in it, which cannot run under esox; {}",
                       program.string(), sanitizer.flag,
                       accesses ? "compile with -fsanitize=thread, then link without it and with "
                                  "-lesox_tsan_rt (docs/lock-free.md)"
                                : "build it without");
  }
  return "";
}

}  // namespace esox
