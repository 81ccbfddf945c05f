// SPDX-License-Identifier: Apache-2.0
// What a memcached says of itself by `-h`, which all releases answer without starting anything.
// Nothing is assumed of a release: that of 1.4.15 knows options by their letters only, has none for
// its version, none against flush_all, and no background threads to be switched off. Letters stay
// what they were; so options are given by those that the program lists.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <string_view>

namespace esox {

struct MemcachedRelease {
  std::string version;     // "memcached 1.6.18", the first line of its help; empty: it has none
  std::set<char> letters;  // of its options
  // Whether threads of its own move items between lists unless told otherwise (1.5 and later).
  bool moves_items = false;
};

// The text of that help. Of what is none the version is empty.
MemcachedRelease read_memcached_help(std::string_view help);

// Asks the program. Throws ServerError, in one line, where it is nothing that can be asked, or has
// no option for a unix socket, without which it cannot be kept private.
MemcachedRelease ask_memcached(const std::filesystem::path& program,
                               const std::filesystem::path& base);

// Of a version as above: whether it has meta commands, by which it tells when items expire. 1.6 and
// later.
bool has_meta_commands(std::string_view version);

}  // namespace esox
