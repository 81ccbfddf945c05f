// SPDX-License-Identifier: Apache-2.0
// A memcached under test stays on its socket, in its folder, and has a worker per client.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "targets/memcached/language.h"
#include "targets/memcached/server.h"
#include "targets/registry.h"

namespace esox {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

std::string error_of(const std::string& option) {
  try {
    memcached_command_line("socket", {option});
  } catch (const ServerError& error) {
    return error.what();
  }
  return "";
}

Input with_clients(size_t count, std::vector<std::string> options = {}) {
  Input input;
  input.language = &memcached_language();
  input.server_options = std::move(options);
  input.clients.resize(count);
  return input;
}

TEST(MemcachedCommandLine, ListensOnItsSocketOnly) {
  const auto line = memcached_command_line("dir/socket", {"--threads=3"});
  EXPECT_THAT(line, Contains("--unix-socket=dir/socket"));
  EXPECT_THAT(line, Contains("--threads=3"));
}

TEST(MemcachedCommandLine, RefusesWhatOpensPortsFilesOrOtherUsersDoors) {
  for (const char* option :
       {"--port=11211", "--udp-port=1", "--listen=0.0.0.0", "--user=nobody", "--unix-socket=x",
        "--daemon", "--pidfile=x", "--enable-shutdown", "--memory-file=x", "-p", "threads=2"}) {
    EXPECT_THAT(error_of(option), HasSubstr(option));
  }
  EXPECT_THAT(error_of("--extended=ext_path=/data:1G"), HasSubstr("path"));
}

TEST(MemcachedTarget, GivesEachClientAWorkerThread) {
  const Target& target = target_named("memcached");
  EXPECT_THAT(target.options_for(with_clients(1)), ElementsAre("--threads=2"));
  EXPECT_THAT(target.options_for(with_clients(3)), ElementsAre("--threads=3"));
  EXPECT_THAT(target.options_for(with_clients(3, {"--threads=4"})), ElementsAre());
  EXPECT_THROW(target.options_for(with_clients(3, {"--threads=2"})), ServerError);
}

}  // namespace
}  // namespace esox
