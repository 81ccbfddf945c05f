// SPDX-License-Identifier: Apache-2.0
// Which options a memcached is given, by what its help says. help/ holds lines of what these
// releases print. No program older than 1.6 was at hand: kOld is made up, of the letters that the
// source of 1.4.15 takes.
#include "targets/memcached/release.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "base/process/private_directory.h"
#include "targets/memcached/server.h"

namespace esox {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;

constexpr const char* kOld =
    "memcached 1.4.15\n"
    "-p <num>      a port\n"
    "-s <file>     a socket\n"
    "-a <mask>     of the socket\n"
    "-U <num>      another port\n"
    "              -Z is none: it is not at the beginning\n"
    "-u <user>     who\n"
    "-t <num>      threads\n"
    "-v            verbose\n"
    "-vvv          very\n"
    "-h            this\n";

std::string recorded(const std::string& name) {
  std::ifstream file(ESOX_RECORDED_HELP "/" + name + ".txt");
  EXPECT_TRUE(file.good()) << name;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> line_of(const std::string& help, const std::vector<std::string>& options) {
  return memcached_command_line(read_memcached_help(help), "dir/socket", options);
}

std::string error_of(const std::string& help, const std::string& option) {
  try {
    line_of(help, {option});
  } catch (const ServerError& error) {
    return error.what();
  }
  return "";
}

class RecordedHelp : public testing::TestWithParam<const char*> {};

TEST_P(RecordedHelp, TellsVersionAndLetters) {
  const std::string help = recorded(GetParam());
  const MemcachedRelease release = read_memcached_help(help);
  std::string name = release.version;
  std::replace(name.begin(), name.end(), ' ', '-');
  EXPECT_EQ(name, GetParam());
  EXPECT_THAT(release.letters, IsSupersetOf({'C', 'F', 'I', 'R', 'U', 'W', 'a', 'o', 's', 't'}));
  EXPECT_TRUE(release.moves_items);
  EXPECT_TRUE(has_meta_commands(release.version));
  EXPECT_THAT(line_of(help, {"--threads=3", "--disable-flush-all"}),
              AllOf(IsSupersetOf({"-t", "3", "-F", "-s", "dir/socket", "-p", "-U", "-a", "-o"}),
                    Contains(HasSubstr("no_lru_maintainer"))));
}

INSTANTIATE_TEST_SUITE_P(All, RecordedHelp,
                         testing::Values("memcached-1.6.9", "memcached-1.6.18", "memcached-1.6.38",
                                         "memcached-1.6.45"));

TEST(MemcachedHelp, OfAnOldReleaseIsOfLettersAlone) {
  const MemcachedRelease old = read_memcached_help(kOld);
  EXPECT_EQ(old.version, "memcached 1.4.15");
  EXPECT_THAT(old.letters, ElementsAre('U', 'a', 'h', 'p', 's', 't', 'u', 'v'));
  EXPECT_FALSE(old.moves_items);
  const std::vector<std::string> line = line_of(kOld, {"--threads=3"});
  EXPECT_THAT(line, Not(Contains("-o")));
  for (const std::string& word : line) EXPECT_FALSE(word.starts_with("--")) << word;
  EXPECT_THAT(error_of(kOld, "--disable-flush-all"),
              HasSubstr("memcached 1.4.15 does not know the option --disable-flush-all (-F)"));
}

TEST(MemcachedHelp, OfWhatIsNoneIsEmpty) {
  for (const char* said : {"", "\n", "usage: cat [FILE]\n", "memcached: no such option\n"}) {
    EXPECT_EQ(read_memcached_help(said).version, "") << said;
  }
}

TEST(MemcachedRelease, MetaCommandsCameWith1_6) {
  EXPECT_TRUE(has_meta_commands("memcached 1.6.18"));
  EXPECT_TRUE(has_meta_commands("memcached 1.10.0"));
  EXPECT_TRUE(has_meta_commands("memcached 2.0"));
  for (const char* old : {"memcached 1.5.22", "memcached 1.2.0", "memcached", "", "1.", "1"}) {
    EXPECT_FALSE(has_meta_commands(old)) << old;
  }
}

// A program that refuses all options but by a letter, as 1.4.15 does.
TEST(MemcachedRelease, IsAskedOfAProgramThatRefusesLongOptions) {
  const PrivateDirectory folder(temporary_base());
  const std::filesystem::path program = folder.path() / "memcached";
  std::ofstream(program) << "#!/bin/sh\n[ \"$1\" = -h ] || { echo 'Illegal argument'; exit 1; }\n"
                         << "cat <<'END'\n"
                         << kOld << "END\n";
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const MemcachedServer server(ServerOptions{program.string(), {"--threads=2"}, {}, folder.path()});
  EXPECT_EQ(server.version(), "memcached 1.4.15");
  EXPECT_THROW(
      MemcachedServer(ServerOptions{program.string(), {"--extended=x"}, {}, folder.path()}),
      ServerError);
  EXPECT_THROW(ask_memcached("/bin/false", folder.path()), ServerError);
}

}  // namespace
}  // namespace esox
