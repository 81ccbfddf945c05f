// SPDX-License-Identifier: Apache-2.0
#include "targets/mysqld/state/log_event.h"

namespace esox {
namespace {

constexpr size_t kSizeAt = 9;

}  // namespace

uint64_t little_endian(std::string_view bytes) {
  uint64_t number = 0;
  for (size_t i = bytes.size(); i-- > 0;)
    number = number << 8 | static_cast<unsigned char>(bytes[i]);
  return number;
}

std::string_view take_event(std::string_view& rest) {
  size_t size = rest.size();
  if (rest.size() >= kEventHeaderBytes) {
    const uint64_t told = little_endian(rest.substr(kSizeAt, 4));
    if (told >= kEventHeaderBytes && told <= rest.size()) size = told;
  }
  const std::string_view event = rest.substr(0, size);
  rest.remove_prefix(size);
  return event;
}

}  // namespace esox
