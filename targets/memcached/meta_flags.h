// SPDX-License-Identifier: Apache-2.0
// The flags of memcached's meta commands: a letter, and for some a token right behind it ("T100").
// Which command knows which is in doc/protocol.txt of memcached 1.6.38; older releases answer some
// with an error, which is a reply like others.
//
// Pure, safe on any bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace esox {

// In place of a unique number; see request.h.
inline constexpr std::string_view kCasPlaceholder = "{cas}";

// More a server does not take.
inline constexpr size_t kMostMetaFlags = 17;

// Whether this is a meta command with flags: mg, ms, md, ma, me.
bool has_meta_flags(std::string_view command);

// Why the command cannot have these flags, with the remedy; empty: it can.
std::string meta_flags_complaint(std::string_view command, const std::vector<std::string>& flags);

// "expires" for t: the name of what the flag adds to a reply; empty: it adds nothing.
std::string_view meta_reply_name(char letter);

// Of base64, padded: what it says; empty for what is none.
std::string from_base64(std::string_view text);
std::string to_base64(std::string_view bytes);

}  // namespace esox
