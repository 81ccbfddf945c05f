// SPDX-License-Identifier: Apache-2.0
// A memcached under test stays on its socket, in its folder, and has a worker per client.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "targets/memcached/language.h"
#include "targets/memcached/server.h"
#include "targets/registry.h"

namespace esox {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> line_of(const std::string& socket, const std::string& option) {
  MemcachedRelease release;
  release.letters = {'F', 'U', 'a', 'm', 'o', 'p', 's', 't', 'u'};
  return memcached_command_line(release, socket, {option});
}

std::string error_of(const std::string& option) {
  try {
    line_of("socket", option);
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
  const std::vector<std::string> line = line_of("dir/socket", "--threads=3");
  const auto has = [&](const char* letter, const char* value) {
    const auto found = std::find(line.begin(), line.end(), letter);
    return found != line.end() && found + 1 != line.end() && found[1] == value;
  };
  EXPECT_TRUE(has("-s", "dir/socket"));
  EXPECT_TRUE(has("-p", "0"));
  EXPECT_TRUE(has("-U", "0"));
  EXPECT_TRUE(has("-t", "3"));
}

TEST(MemcachedCommandLine, RefusesWhatOpensPortsFilesOrOtherUsersDoors) {
  for (const char* option :
       {"--port=11211", "--udp-port=1", "--listen=0.0.0.0", "--user=nobody", "--unix-socket=x",
        "--daemon", "--pidfile=x", "--enable-shutdown", "--memory-file=x", "-p", "threads=2"}) {
    EXPECT_THAT(error_of(option), HasSubstr(option));
  }
  EXPECT_THAT(error_of("--extended=ext_path=/data:1G"), HasSubstr("path"));
  EXPECT_THAT(error_of("--threads"), HasSubstr("--threads=VALUE"));
  EXPECT_THAT(error_of("--disable-flush-all=1"), HasSubstr("takes no value"));
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
