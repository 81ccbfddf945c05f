// SPDX-License-Identifier: Apache-2.0
#include "targets/memcached/language.h"

#include <cctype>
#include <set>
#include <string>

#include "targets/memcached/request.h"

namespace esox {
namespace {

constexpr std::string_view kReservedOptions[] = {
    "auth-file", "daemon",      "enable-coredumps", "help",      "listen", "memory-file", "pidfile",
    "port",      "unix-socket", "udp-port",         "unix-mask", "user",   "version"};

constexpr std::string_view kKeys = "keys";
constexpr std::string_view kRetrievals[] = {"GET", "GETS", "GAT", "GATS"};
constexpr Splitting kSplittings[] = {{kKeys, kRetrievals}};

bool names_a_key_twice(const MemcachedRequest& request) {
  const std::set<std::string> keys(request.keys.begin(), request.keys.end());
  return keys.size() != request.keys.size();
}

class MemcachedLanguage final : public RequestLanguage {
 public:
  std::string_view server() const override { return "memcached"; }
  std::string complaint(std::string_view text) const override { return memcached_complaint(text); }
  std::string setup_complaint(std::string_view text) const override {
    return memcached_setup_complaint(text);
  }

  std::vector<std::string> names(std::string_view text) const override {
    std::vector<std::string> keys = memcached_request(text).keys;
    for (std::string& key : keys) {
      for (char& c : key) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return keys;
  }

  std::string harmless() const override { return "get k"; }

  std::span<const Splitting> splittings() const override { return kSplittings; }

  // Which of two readings of one key a value is of, the reply does not tell.
  bool is_one_step(std::string_view text, std::span<const std::string> /*setup*/) const override {
    return !names_a_key_twice(memcached_request(text));
  }

  // One request for each key; the time of gat and gats stays with each.
  std::vector<RequestPart> parts(std::string_view text, std::string_view splitting) const override {
    const MemcachedRequest request = memcached_request(text);
    if (splitting != kKeys || request.reply != MemcachedReply::kValues) return {};
    if (names_a_key_twice(request)) return {};
    std::string head;
    for (size_t i = 0; i + request.keys.size() < request.words.size(); ++i) {
      head += request.words[i] + " ";
    }
    std::vector<RequestPart> parts;
    for (const std::string& key : request.keys) parts.push_back({head + key, key});
    return parts;
  }

  // Nor is what an item's readers have left in it (tells_reads) in any state summary, by which
  // orders would be taken for equal.
  bool gives_identities(std::string_view text) const override {
    const MemcachedRequest request = memcached_request(text);
    return gives_unique(request) || tells_reads(request);
  }

  std::span<const std::string_view> reserved_options() const override { return kReservedOptions; }
};

}  // namespace

const RequestLanguage& memcached_language() {
  static const MemcachedLanguage language;
  return language;
}

}  // namespace esox
