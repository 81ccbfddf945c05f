// SPDX-License-Identifier: Apache-2.0
// Every line that the pages of docs/ and README.md give to type is run, with budgets of seconds and
// with what its words stand for, and ends with the exit status that its command documents. What is
// run elsewhere, or by nothing, stands in a table here; nothing else is left out.
//
// Each page is a test, in a folder of its own. A line that needs something this machine may not
// have (a memcached, MariaDB's suites) is told as not run, and its page as skipped, when all others
// of the page have been run. What was run is printed, with the status it ended with.
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <regex>
#include <utility>

#include "tests/integration/command_fixture.h"
#include "tests/unit/docs/page.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::HasSubstr;
using Words = std::vector<std::string>;

// An import of a few tests of MariaDB's suites takes minutes; all else seconds.
constexpr auto kLimit = 1200s;

// --- Pages that make test follows word by word.

constexpr const char* kFollower = "tests/integration/command_docs_test.cpp";
const std::vector<std::string> kFollowed = {"docs/extending.md", "docs/first-input.md",
                                            "docs/tutorial.md"};

// --- Lines that are not run here.

struct NotHere {
  const char* page;
  const char* beginning;  // of the line
  const char* by;         // the file of the sources that runs it; empty: nothing does
  const char* why;
};

constexpr const char* kWholeMachine = "it changes the machine";
constexpr const char* kBuilds = "it builds what this test is a part of";

constexpr NotHere kNotHere[] = {
    {"README.md", "make test", ".ci/run", kBuilds},
    {"README.md", "make hunt", "", "it builds, and hunts as 'esox hunt --budget 2m', which is run"},
    {"docs/memcached.md", "make memcached", "Makefile", "make test begins with it"},
    {"docs/annotated-mariadb.md", "make mariadb", "", "it takes long, and 2 GB: by hand"},
    {"docs/importing.md", "make mariadb-test", "", "it fetches 1 GB: by hand"},
    {"docs/lock-free.md", "g++ ", "tests/programs/lock_free/CMakeLists.txt", kBuilds},
    {"docs/installing.md", "make install PREFIX=", "tests/install/check-prefix", kBuilds},
    {"docs/installing.md", "make deb", "scripts/test-deb", kBuilds},
    {"docs/installing.md", "apt-get install ./build/esox.deb", "scripts/test-deb", kWholeMachine},
    {"docs/installing.md", "podman ", "scripts/test-containerfile", "it wants podman"},
    {"docs/installing.md", "export MANPATH=", "", "it is for the shell it is typed into"},
    {"docs/installing.md", "useradd ", "", kWholeMachine},
    {"docs/installing.md", "cp /usr/share/doc/esox/examples/systemd", "", kWholeMachine},
    {"docs/installing.md", "systemctl ", "", kWholeMachine},
    {"docs/installing.md", "journalctl ", "", "its service is not there"},
    {"docs/many-machines.md", "bash night.sh", "tests/slurm/array_night", "it wants a cluster"},
    {"docs/many-machines.md", "kubectl ", "",
     "it wants a cluster; scripts/check-kubernetes checks"},
    {"docs/your-server.md", "make", "Makefile", kBuilds},
    {"docs/your-server.md", "build/tests/keyvalue/esox ",
     "tests/integration/keyvalue/keyvalue_test.cpp", "make test follows the page"},
    {"docs/verifying.md", "git bisect ", "tests/soak/docs_commands.cpp", "it wants a history"},
};

// --- What words of a page stand for.

class DocsSoak;

struct StandsFor {
  const char* word;                  // a pattern of the whole word
  std::string (DocsSoak::*value)();  // made when it is first needed
  const char* page = nullptr;        // on this page only
};

// --- How long each command may take.

struct Cut {
  const char* command;
  const char* option;
  const char* value;  // of the option, whether the page names it or not
};

constexpr Cut kCuts[] = {
    {"hunt", "--budget", "6s"},           // more than that of the hunt which is gone on with
    {"hunt", "--diagnose-budget", "3s"},  // 30s otherwise
    {"diagnose", "--budget", "10s"},     {"minimise", "--budget", "10s"},
    {"verify", "--budget", "20s"},
};
// Of a night, what its file says instead: few inputs, so that all have their turn.
constexpr std::pair<const char*, const char*> kNight[] = {
    {"budget: 8h", "budget: 20s"},
    {"inputs: shipped", "inputs: [inputs/mariadb/pike-table-5-2/04-insert-select.yaml]"},
};
// Of a suite, what is run instead of the whole.
constexpr const char* kFewTests = "--do-test=insert_select";

// --- What they end with.

constexpr int kAsItFound = -1;  // 1 if findings are told, else 0

struct Ends {
  const char* call;  // a pattern in the whole call
  int status;        // as --help of the command has it
};

// The first that fits counts. FINDING is there on this server, but not without its query cache.
constexpr Ends kEnds[] = {
    {"^night .*--check( |$)", 0},
    {"^(hunt|night|run)( |$)", kAsItFound},
    {"^(replay|diagnose|minimise|reproduce) ", 1},
    {"^verify .*--query-cache-size=0", 0},
    {"^verify ", 1},
    {"^exec ", 1},  // ./my_test has a bug
    {"", 0},
};

// --- Files that pages speak of.

constexpr const char* kSession = R"(-- esox: setup
CREATE TABLE stock (item INT, n INT) ENGINE=Aria;
INSERT INTO stock VALUES (1, 10), (2, 5);
-- esox: requests
SELECT item FROM stock;
UPDATE stock SET n = n - 1 WHERE item = 1;
)";
constexpr const char* kOtherSession = R"(INSERT INTO stock VALUES (3, 7);
SELECT n FROM stock WHERE item = 1;
)";
constexpr const char* kDump = "CREATE TABLE sold (item INT);\nINSERT INTO sold VALUES (1);\n";
constexpr const char* kRules = R"(server: mariadb
rules:
  - name: no-row-estimates
    kind: ignore
    reply: rows
    column: Rows
    statement: SHOW TABLE
    engine: InnoDB
    owner: you
    reason: InnoDB's number of rows is an estimate
)";
constexpr const char* kItems = R"(components:
  - name: table
    kind: map
    unit: assoc.c
    container: {kind: hash, root: primary_hashtable, count: 1 << hashpower, next: h_next}
    element: it
    let: {key: "cast<char *>(it->data) + 8"}
    key: [{bytes: key, length: it->nkey}]
    fields: [it->nbytes]
)";

struct GivenFile {
  const char* page;
  const char* name;
  const char* text;
};

constexpr GivenFile kGiven[] = {
    {"docs/filters.md", "mine.yaml", kRules},
    {"docs/reading-a-frozen-server.md", "mine.yaml", kItems},
    {"docs/importing.md", "session.sql", kSession},
    {"docs/importing.md", "buy.sql", kSession},
    {"docs/importing.md", "sell.sql", kOtherSession},
    {"docs/importing.md", "dump.sql", kDump},
    {"docs/importing.md", "session.txt",
     "# esox: setup\nset k 0 0 2\n12\n# esox: requests\nget k\nincr k 1\n"},
    {"docs/importing.md", "a.txt", "incr k 1\nget k\n"},
    {"docs/importing.md", "b.txt", "decr k 1\nget k\n"},
    {"docs/importing.md", "fill.txt", "set k 0 0 2\n12\n"},
    {"docs/learning.md", "session.sql", kSession},
};

bool is_followed(const std::string& page) {
  return std::find(kFollowed.begin(), kFollowed.end(), page) != kFollowed.end();
}

const NotHere* not_here(const std::string& page, const std::string& line) {
  for (const NotHere& one : kNotHere) {
    if (page == one.page && line.starts_with(one.beginning)) return &one;
  }
  return nullptr;
}

std::vector<ShownText> typed_lines_of(const std::string& page) {
  std::vector<ShownText> lines;
  for (const Block& block : blocks_of(page)) {
    for (ShownText& line : typed_lines(block)) lines.push_back(std::move(line));
  }
  return lines;
}

std::string text_of_page(const std::string& name) {
  for (const auto& [page, text] : all_pages(ESOX_SOURCES)) {
    if (page == name) return text;
  }
  return "";
}

// In place of what the option had, or before all other arguments of the command.
void set_option(Words& arguments, const std::string& option, const std::string& value) {
  for (size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
    if (arguments[i] != option) continue;
    arguments.at(i + 1) = value;
    return;
  }
  arguments.insert(arguments.begin() + 1, {option, value});
}

bool has(const Words& arguments, const std::string& word) {
  return std::find(arguments.begin(), arguments.end(), word) != arguments.end();
}

class DocsSoak : public CommandTest, public testing::WithParamInterface<std::string> {
 protected:
  ~DocsSoak() override {
    if (memcached_ <= 0) return;
    kill(memcached_, SIGKILL);
    waitpid(memcached_, nullptr, 0);
  }

  void prepare(const std::string& page) {
    for (const char* room : {"inputs", "filters", "summaries"}) {
      fs::create_directory_symlink(fs::path(ESOX_SOURCES) / room, folder() / room);
    }
    fs::create_directory_symlink(ESOX_BUILD, folder() / "build");
    fs::create_symlink(fs::path(ESOX_PROGRAMS) / "program_check_then_act", folder() / "my_test");
    for (const GivenFile& file : kGiven) {
      if (page == file.page) write(file.name, file.text);
    }
    if (page == "docs/many-machines.md") make_hunt_file();
  }

  void run_line(const std::string& page, const ShownText& line) {
    const std::string place = fmt::format("{}:{}", page, line.line);
    SCOPED_TRACE(place + ": " + line.text);
    if (const NotHere* one = not_here(page, line.text)) {
      const std::string by = *one->by == '\0' ? "by nothing" : fmt::format("by {}", one->by);
      fmt::print("{}: run {}, for {}: {}\n", place, by, one->why, line.text);
      return;
    }
    const auto calls = esox_calls(line.text);
    EXPECT_FALSE(calls.empty()) << "this line is neither run nor in kNotHere";
    for (const Words& call : calls) run_call(page, place, call);
  }

  Words not_run_;  // for want of something

 private:
  void run_call(const std::string& page, const std::string& place, const Words& call) {
    if (const auto missing = missing_for(call)) {
      not_run_.push_back(fmt::format("{}: esox {}: {}", place, fmt::join(call, " "), *missing));
      make_room(call);  // what follows must not take an older folder for its own
      return;
    }
    const Words arguments = cut(with_values(page, call));
    if (HasFatalFailure()) return;
    make_room(arguments);
    const Said said = esox(arguments, kLimit, [] {
      const int nothing = open("/dev/null", O_RDONLY);
      if (nothing < 0 || dup2(nothing, 0) < 0) _exit(126);
    });
    fmt::print("{}: exit status {}: esox {}\n", place, said.status, fmt::join(arguments, " "));
    std::fflush(stdout);
    expect_status(call, said);
    after(arguments);
  }

  // What a call needs that may not be here.
  std::optional<std::string> missing_for(const Words& call) const {
    for (const std::string& word : call) {
      if (word.starts_with("build/") && !fs::exists(folder() / word)) return word + " is not built";
    }
    if (has(call, "--pid") && !fs::exists(memcached())) return "memcached is not built";
    if (has(call, "--gdb") && std::system("gdb --version >/dev/null 2>&1") != 0)
      return "no gdb here";
    if (call.size() > 1 && call[1] == "mtr" && !suites_there()) return "no suites of MariaDB here";
    if (has(call, "corpus") && call[0] == "hunt" && !fs::exists(folder() / "corpus")) {
      return "its import was not run";
    }
    return std::nullopt;
  }
  static fs::path memcached() { return fs::path(ESOX_BUILD) / "memcached/plain/memcached"; }
  // Where esox looks for them.
  static bool suites_there() {
    return fs::exists(fs::path(ESOX_BUILD) / "mariadb-test/usr/share/mysql/mysql-test") ||
           fs::exists("/usr/share/mysql/mysql-test");
  }

  Words with_values(const std::string& page, const Words& call) {
    Words arguments;
    for (const std::string& word : call) {
      arguments.push_back(word);
      for (const StandsFor& one : kStandsFor) {
        if (one.page != nullptr && page != one.page) continue;
        if (!std::regex_match(word, std::regex(one.word))) continue;
        arguments.back() = (this->*one.value)();
        break;
      }
    }
    return arguments;
  }

  static Words cut(Words arguments) {
    for (const Cut& one : kCuts) {
      if (arguments[0] == one.command) set_option(arguments, one.option, one.value);
    }
    if (arguments[0] == "exec" && has(arguments, "--budget"))
      set_option(arguments, "--budget", "5s");
    if (has(arguments, "mtr")) arguments.push_back(kFewTests);
    return arguments;
  }

  // An import wants a new folder; lines of a page that import into the same one are alternatives.
  void make_room(const Words& arguments) {
    if (arguments[0] != "import") return;
    const auto out = std::find(arguments.begin(), arguments.end(), "--out");
    if (out != arguments.end()) fs::remove_all(folder() / *(out + 1));
  }

  // Of a hunt, and of a night.
  static bool tells_findings(const std::string& out) {
    return std::regex_search(out,
                             std::regex("(^|\n)[0-9]+ findings?:|[1-9][0-9]* (new|regressed)[,;]"));
  }

  void expect_status(const Words& call, const Said& said) {
    const std::string text = fmt::format("{}", fmt::join(call, " "));
    for (const Ends& one : kEnds) {
      if (!std::regex_search(text, std::regex(one.call))) continue;
      const int expected =
          one.status == kAsItFound ? (tells_findings(said.out) ? 1 : 0) : one.status;
      EXPECT_EQ(said.status, expected) << said.out << said.err;
      return;
    }
  }

  void after(const Words& arguments) {
    if (arguments[0] == "init") shorten(folder() / "nightly.yaml");
  }

  void shorten(const fs::path& hunt_file) {
    std::string text = read(hunt_file);
    for (const auto& [said, instead] : kNight) {
      ASSERT_THAT(text, HasSubstr(said));
      text = std::regex_replace(text, std::regex(said), instead);
    }
    write(hunt_file.filename(), text);
  }

  void make_hunt_file() {
    ASSERT_EQ(esox({"init", "mariadb"}).status, 0);
    shorten(folder() / "nightly.yaml");
  }

  // Of the positive control, ended by its budget, so that it can be gone on with.
  std::string hunted() {
    if (!hunted_.empty()) return hunted_;
    hunted_ = "esox-out/one";
    const Said said =
        esox({"hunt", control(), "--engine", "Aria", "--seed", "1", "--executions", "1000000",
              "--budget", "3s", "--diagnose-budget", "0", "--out", hunted_});
    EXPECT_EQ(said.status, 1) << said.err;
    return hunted_;
  }

  std::string finding() {
    const auto found = findings_in(folder() / hunted());
    if (found.empty()) {
      ADD_FAILURE() << "the positive control was not found in 3 s";
      return "FINDING";
    }
    return (fs::path(hunted_) / "findings" / found.front().filename()).string();
  }

  // As it may be typed.
  std::string beginning_of_id() { return fs::path(finding()).filename().string().substr(0, 4); }

  // Kept by an earlier line of the page.
  std::string failing_schedule() {
    for (const auto& run : fs::directory_iterator(folder() / "esox-out")) {
      for (const auto& file : fs::directory_iterator(run.path())) {
        const std::string name = file.path().filename();
        if (name.starts_with("1-") && name.ends_with(".json")) return file.path();
      }
    }
    ADD_FAILURE() << "no earlier line of the page kept a schedule";
    return "";
  }

  std::string corpus() {
    const Said said = esox({"import", "sql", "session.sql", "--out", "corpus"});
    EXPECT_EQ(said.status, 0) << said.err;
    return "corpus";
  }

  std::string server_program() { return "mariadbd"; }
  std::string some_server_option() { return "--server-option=--general-log=1"; }
  std::string hunt_file() { return "nightly.yaml"; }

  // A memcached of ours, as somebody may have it running.
  std::string process() {
    const std::string socket = (folder() / "socket").string();
    memcached_ = fork();
    if (memcached_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      execl(memcached().c_str(), "memcached", "-u", "root", "-s", socket.c_str(), nullptr);
      _exit(126);
    }
    EXPECT_TRUE(wait_until([&] { return fs::exists(socket); }, 10s));
    return std::to_string(memcached_);
  }

  static const std::vector<StandsFor> kStandsFor;

  std::string hunted_;
  pid_t memcached_ = -1;
};

const std::vector<StandsFor> DocsSoak::kStandsFor = {
    {"FINDING|OUT/findings/ID|esox-out/[0-9-]+/findings/[0-9a-f]{16}", &DocsSoak::finding},
    {"OUT|esox-out/(LAST|[0-9-]+)|nights/2026-11-21", &DocsSoak::hunted},
    {"esox-out/[0-9-]+/1-deadlock\\.json", &DocsSoak::failing_schedule},
    {"[0-9a-f]{4}", &DocsSoak::beginning_of_id, "docs/triage.md"},
    {"CORPUS", &DocsSoak::corpus},
    {"(NEW-|OLD-|)PROGRAM", &DocsSoak::server_program},
    {"--server-option=--NAME=VALUE", &DocsSoak::some_server_option},
    {"/var/lib/esox/nightly\\.yaml", &DocsSoak::hunt_file},
    {"4711", &DocsSoak::process, "docs/reading-a-frozen-server.md"},
};

TEST_P(DocsSoak, EveryLineToTypeIsRun) {
  prepare(GetParam());
  for (const ShownText& line : typed_lines_of(text_of_page(GetParam()))) {
    run_line(GetParam(), line);
    if (HasFatalFailure()) return;
  }
  if (!not_run_.empty()) GTEST_SKIP() << fmt::format("not run:\n  {}", fmt::join(not_run_, "\n  "));
}

std::vector<std::string> pages_with_lines() {
  std::vector<std::string> names;
  for (const auto& [page, text] : all_pages(ESOX_SOURCES)) {
    if (!is_followed(page) && !typed_lines_of(text).empty()) names.push_back(page);
  }
  return names;
}

// "docs/many-machines.md" is ManyMachines.
std::string test_name(const testing::TestParamInfo<std::string>& page) {
  std::string name;
  bool begins = true;
  for (const char c : fs::path(page.param).stem().string()) {
    if (c != '-') name += begins ? static_cast<char>(std::toupper(c)) : c;
    begins = c == '-';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Pages, DocsSoak, testing::ValuesIn(pages_with_lines()), test_name);

// docs/verifying.md: `git bisect run` in a history of four commits, of which the third mends a
// fault of memcached. A commit holds the name of its program, and its make takes that one.
class BisectSoak : public CommandTest {
 protected:
  static fs::path program(const std::string& name) {
    return fs::path(ESOX_BUILD) / "memcached" / name / "memcached";
  }

  std::string shell(const std::string& where, const std::string& line) {
    const std::string all = fmt::format(
        "cd '{}' && export PATH='{}':$PATH XDG_CACHE_HOME='{}' GIT_CONFIG_GLOBAL=/dev/null && {{ "
        "{}\n}} "
        "2>&1",
        (folder() / where).string(), ESOX_BUILD, ESOX_TEST_CACHE, line);
    FILE* pipe = popen(all.c_str(), "r");
    std::string said;
    for (int c; (c = fgetc(pipe)) != EOF;) said += static_cast<char>(c);
    pclose(pipe);
    return said;
  }

  void hunt_the_fault() {
    const Said said = esox({"hunt", fmt::format("{}/inputs/memcached/sessions.yaml", ESOX_SOURCES),
                            "--server", program(kFault), "--seed", "1", "--budget", "30s",
                            "--diagnose-budget", "0", "--out", "out"});
    ASSERT_EQ(said.status, 1) << said.out << said.err;
    for (const fs::path& found : findings_in(folder() / "out")) {
      const bool shows_it =
          read(found / "finding.yaml").find("one-of-two-swaps") != std::string::npos;
      if (shows_it && !fs::exists(folder() / "finding")) fs::rename(found, folder() / "finding");
    }
    ASSERT_TRUE(fs::exists(folder() / "finding")) << said.out;
    fs::create_directory(folder() / "kept");
    fs::copy(program(kFault), folder() / "kept/memcached");
  }

  void make_history() {
    fs::create_directory(folder() / "tree");
    write("tree/Makefile",
          fmt::format("all:\n\tcp {}/memcached/$$(cat program)/memcached .\n", ESOX_BUILD));
    shell("tree", "git init -q; git config user.name me; git config user.email me@example.org");
    size_t number = 0;
    for (const char* name : {kFault, kFault, kMended, kMended}) {
      write("tree/program", name);
      shell("tree", fmt::format("git add .; git commit -q --allow-empty -m 'commit {}'", ++number));
    }
  }

  static constexpr const char* kFault = "fault-swap-compared-outside-lock";
  static constexpr const char* kMended = "annotated";
};

TEST_F(BisectSoak, FindsTheCommitThatMendedAFault) {
  if (!fs::exists(program(kFault))) GTEST_SKIP() << "memcached is not built";
  hunt_the_fault();
  if (HasFatalFailure()) return;
  make_history();
  std::string said;
  for (const ShownText& line : typed_lines_of(text_of_page("docs/verifying.md"))) {
    if (!line.text.starts_with("git bisect ")) continue;
    std::string text = std::regex_replace(line.text, std::regex("GOOD-AND-FIXED"), "HEAD");
    text = std::regex_replace(text, std::regex("BROKEN"), "HEAD~3");
    said += shell("tree", text);
  }
  EXPECT_THAT(said, HasSubstr("is the first fixed commit"));
  EXPECT_THAT(said, HasSubstr("commit 3\n"));
}

TEST(DocsSoakTables, NameOnlyLinesThatPagesHaveAndFilesThatAreThere) {
  for (const NotHere& one : kNotHere) {
    SCOPED_TRACE(fmt::format("{}: {}", one.page, one.beginning));
    const auto lines = typed_lines_of(text_of_page(one.page));
    EXPECT_TRUE(std::any_of(lines.begin(), lines.end(), [&](const ShownText& line) {
      return not_here(one.page, line.text) == &one;
    }));
    EXPECT_TRUE(fs::exists(fs::path(ESOX_SOURCES) / one.by)) << one.by;
  }
}

TEST(DocsSoakTables, LeaveOutOnlyPagesThatAreFollowedElsewhere) {
  std::ifstream file(fs::path(ESOX_SOURCES) / kFollower);
  const std::string follower{std::istreambuf_iterator<char>(file), {}};
  for (const std::string& page : kFollowed) {
    EXPECT_THAT(follower, HasSubstr("follow(\"" + fs::path(page).filename().string() + "\")"));
  }
}

}  // namespace
}  // namespace esox
