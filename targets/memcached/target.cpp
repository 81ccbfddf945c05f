// SPDX-License-Identifier: Apache-2.0
#include "targets/memcached/target.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "base/process/server_error.h"
#include "summaries/annotation/annotated_state.h"
#include "targets/memcached/release.h"
#include "targets/memcached/text_import.h"
#include "targets/memcached/text_script.h"
#include "targets/shipped.h"

namespace esox {
namespace {

constexpr const char* kImportHelp = R"(
A file holds the requests of one session, of memcached's text protocol, as one would send them: a
command line, and after a storage command a line with its data. One file is cut into pairs of
requests that share a key and into short sessions; several files are sessions that go on at the same
time. A line "# esox: setup" begins a part that runs before all clients, "# esox: requests" ends it.

Examples:
  esox import text session.txt --out corpus
  esox import text a.txt b.txt --setup fill.txt --out corpus
  esox hunt corpus --server /usr/bin/memcached

Each input is then tried. What is left out is counted, by reason. More: docs/importing.md.

Exit status: 0 done or stopped, 2 wrong use or bad input, 3 esox itself failed.)";

constexpr FileImport kFileImport = {{"text", "of files of memcached's requests", kImportHelp},
                                    "a file of requests",
                                    kMaxTextScriptBytes,
                                    import_text};

constexpr const char* kStarter = R"(servers:
  - name: stable
    package: memcached                # the server that this Debian package installs
#  - name: tonight
#    build: ../memcached               # a build folder
#    share: 2                          # twice the time of a server without a share

# Each server under each row.
options:
  - name: default
#  - name: small
#    server_options: [--memory-limit=8]

)";

// The interface first: asking for the keys takes away what is dead (interface.h).
class MemcachedState final : public StateSources {
 public:
  explicit MemcachedState(const SessionView& session) {
    add(std::make_unique<MemcachedInterface>(ask_on(session.own), subject_of(session.input),
                                             identities_));
    add(std::make_unique<AnnotatedProcess>(session.process));
  }

  void name_identities(Outcome& outcome) override { identities_.name_outputs(outcome); }

 private:
  Identities identities_;
};

}  // namespace

std::vector<std::string> MemcachedTarget::options_for(const Input& input) const {
  constexpr std::string_view kThreads = "--threads=";
  const size_t needed = std::max<size_t>(2, input.clients.size());
  for (const std::string& option : input.server_options) {
    if (!option.starts_with(kThreads)) continue;
    if (std::strtoul(option.c_str() + kThreads.size(), nullptr, 10) >= needed) return {};
    throw ServerError(
        fmt::format("{}: {} of {} is too few; give at least {}, for each client needs a worker "
                    "thread to itself",
                    input.origin, option, input.id, needed));
  }
  return {fmt::format("{}{}", kThreads, needed)};
}

bool MemcachedTarget::empty(Client& own) const {
  own.run_setup({"flush_all"});
  return true;
}

std::unique_ptr<ServerState> MemcachedTarget::make_state(const SessionView& session) const {
  return std::make_unique<MemcachedState>(session);
}

StateGap MemcachedTarget::state_gap(const Server& server, const std::vector<std::string>&) const {
  if (has_meta_commands(server.version())) return {};
  return {"when items expire, which memcached tells since 1.6", "hunt memcached 1.6 or later"};
}

std::optional<std::filesystem::path> MemcachedTarget::filters_file() const {
  return shipped("filters/memcached.yaml");
}

std::optional<std::filesystem::path> MemcachedTarget::grammar_file() const {
  return shipped("inputs/grammars/memcached.yaml");
}

const FileImport* MemcachedTarget::file_import() const {
  return &kFileImport;
}

std::string MemcachedTarget::starter_part() const {
  return kStarter;
}

}  // namespace esox
