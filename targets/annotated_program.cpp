// SPDX-License-Identifier: Apache-2.0
#include "targets/annotated_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <system_error>

#include "base/process/dynamic_part.h"
#include "base/process/server_error.h"
#include "summaries/annotation/annotated_state.h"

namespace esox {
namespace {

constexpr std::string_view kSymbol = "esox_summary_open";
constexpr const char* kLibrary = "libesox_summary.so";

}  // namespace

bool is_annotated(const std::filesystem::path& program) {
  const DynamicPart part = dynamic_part(program);
  return std::ranges::any_of(part.symbols,
                             [](const DynamicSymbol& symbol) { return symbol.name == kSymbol; });
}

std::vector<std::string> annotation_environment(const std::filesystem::path& program,
                                                const std::filesystem::path& preload_library) {
  if (!is_annotated(program)) return {};
  const std::filesystem::path library = preload_library.parent_path() / kLibrary;
  std::error_code error;
  if (!std::filesystem::exists(library, error)) {
    throw ServerError(fmt::format("{} is annotated, but {} is not there; install esox again",
                                  program.string(), library.string()));
  }
  return {fmt::format("{}=1", kRecordVariable),
          fmt::format("LD_PRELOAD={}:{}", preload_library.string(), library.string())};
}

}  // namespace esox
