// SPDX-License-Identifier: Apache-2.0
// Findings of real servers shown without esox: by the script that `esox reproduce` leaves, on the
// server and on its next release; what it says where there is nothing to see; what it leaves
// behind.
#include <fmt/format.h>
#include <signal.h>

#include <cstring>
#include <fstream>
#include <random>
#include <thread>

#include "base/process/process.h"
#include "base/process/server_error.h"
#include "harness/findings/reproduce/player.h"
#include "targets/reproduce_script.h"
#include "tests/integration/command_fixture.h"
#include "tests/integration/real_servers.h"

namespace esox {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using namespace std::chrono_literals;

// A listing beside a statement that renames two tables.
constexpr const char* kRename = R"(id: rename
setup:
  - CREATE TABLE t1 (a INT) ENGINE=InnoDB
  - CREATE TABLE t2 (a INT) ENGINE=InnoDB
clients:
  - requests: ["SHOW TABLES"]
  - requests: ["RENAME TABLE t1 TO t3, t2 TO t1"]
)";

// The rename, held before its second table, as made by hand.
json rename_plan() {
  return json::parse(R"({
    "format": 1, "title": "a listing of half a RENAME", "violation": "outcome",
    "server": {"kind": "mariadb", "program": "mariadbd", "options": []},
    "setup": ["CREATE TABLE t1 (a INT) ENGINE=InnoDB", "CREATE TABLE t2 (a INT) ENGINE=InnoDB"],
    "clients": [{"name": "A", "setup": [], "requests": ["SHOW TABLES"]},
                {"name": "B", "setup": [], "requests": ["RENAME TABLE t1 TO t3, t2 TO t1"]}],
    "observations": [], "ordered": [], "compared": ["A1"],
    "segments": [{"client": "B", "request": 0, "until": "place",
                  "place": {"function": "mysql_rename_table", "at": "entry"}, "hit": 2},
                 {"client": "A", "request": 0, "until": "end"}]})");
}

// A transaction that reads by a covering index what its snapshot has not (docs/found.md), held
// before that statement begins, as made by hand.
json snapshot_plan() {
  return json::parse(R"json({
    "format": 1, "title": "two versions of a row", "violation": "outcome",
    "server": {"kind": "mariadb", "program": "mariadbd", "options": []},
    "setup": ["CREATE TABLE t (a INT PRIMARY KEY, b INT, KEY(b, a)) ENGINE=InnoDB",
              "INSERT INTO t VALUES (1, 1)"],
    "clients": [{"name": "A", "setup": ["SET innodb_snapshot_isolation=ON"],
                 "requests": ["BEGIN", "SELECT b FROM t",
                              "SELECT b FROM t FORCE INDEX (b) WHERE b > 0 LOCK IN SHARE MODE",
                              "COMMIT"]},
                {"name": "B", "setup": [], "requests": ["UPDATE t SET b = 2"]}],
    "observations": [], "ordered": [], "compared": ["A2", "A3"],
    "wrong": {"A2": [["row", "1"]], "A3": [["row", "2"]], "B1": [["1 affected"]]},
    "segments": [{"client": "A", "request": 2, "until": "place",
                  "place": {"function": "mysql_parse", "at": "entry"}, "hit": 1},
                 {"client": "B", "request": 0, "until": "end"},
                 {"client": "A", "request": 3, "until": "end"}]})json");
}

// The thread that makes delayed inserts, in the middle of its opening of the table that another one
// drops (docs/found.md), as made by hand.
json delayed_plan() {
  return json::parse(R"json({
    "format": 1, "title": "an insert whose connection nobody killed", "violation": "outcome",
    "server": {"kind": "mariadb", "program": "mariadbd", "options": []},
    "setup": ["CREATE TABLE t1 (a INT) ENGINE=MyISAM"],
    "clients": [{"name": "A", "setup": [], "requests": ["INSERT DELAYED INTO t1 VALUES (1)"]},
                {"name": "B", "setup": [], "requests": ["DROP TABLE t1"]}],
    "observations": [], "ordered": [], "errors": [1146, 1927], "compared": ["A1"],
    "segments": [{"client": "A", "request": 0, "until": "blocked"},
                 {"client": "T9", "own": true, "request": 0, "until": "place",
                  "place": {"function": "MDL_context::clone_ticket", "at": "return"}, "hit": 2},
                 {"client": "B", "request": 0, "until": "blocked"},
                 {"client": "T9", "own": true, "request": 0, "until": "blocked"}]
})json");
}

// The thread that serves a signal, between the two halves of reading rights anew (docs/found.md),
// as made by hand.
json signal_plan() {
  return json::parse(R"json({
    "format": 1, "title": "rights of roles that are away", "violation": "outcome",
    "server": {"kind": "mariadb", "program": "mariadbd", "options": []},
    "setup": ["CREATE ROLE r1, r2", "GRANT EXECUTE ON test.* TO r2", "GRANT r2 TO r1",
              "CREATE DEFINER = r1 PROCEDURE p1() SELECT 1"],
    "clients": [{"name": "A", "setup": [], "requests": ["SIGHUP"], "signals": true},
                {"name": "B", "setup": [], "requests": ["CALL p1()"]}],
    "observations": [], "ordered": [], "errors": [1370], "compared": ["B1"],
    "segments": [{"client": "A", "request": 0, "until": "place",
                  "place": {"function": "acl_reload", "at": "return"}, "hit": 1},
                 {"client": "B", "request": 0, "until": "end"},
                 {"client": "A", "request": 0, "until": "end"}]})json");
}

// As if it had been tried here.
json measured(json plan) {
  plan["measured"] = {{"by_name", true},
                      {"version", "10.11"},
                      {"rounds", {{"rounds", 20}, {"told", {"a title", "violated 20 of 20"}}}}};
  return plan;
}

class Reproducing : public CommandTest {
 protected:
  void SetUp() override {
    const Said said = play(alone(rename_plan()), {"--check"});
    if (said.status != 0) GTEST_SKIP() << "this machine lets no thread be held: " << said.out;
    fs::remove_all(folder() / "alone");
  }

  // The first finding of a hunt; empty: there was none.
  fs::path found_by(const std::vector<std::string>& more) {
    std::vector<std::string> line = {"hunt", "--seed", "1", "--no-gate", "--out", "out"};
    line.insert(line.end(), more.begin(), more.end());
    EXPECT_EQ(esox(line).status, 1);
    const auto found = findings_in(folder() / "out");
    return found.empty() ? fs::path() : found.front();
  }

  // reproduce.py beside this reproduce.json, and nothing else.
  fs::path alone(const json& plan) {
    fs::path at = folder() / "alone";
    fs::create_directories(at);
    std::ofstream(at / "reproduce.py") << kReproduceScript;
    std::ofstream(at / "reproduce.json") << plan.dump();
    return at;
  }

  std::unique_ptr<Process> started(const fs::path& at, const std::vector<std::string>& options) {
    std::vector<std::string> arguments = {(at / "reproduce.py").string()};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return python(arguments);
  }

  std::unique_ptr<Process> python(const std::vector<std::string>& arguments) {
    ProcessPlan plan;
    plan.program = "/usr/bin/env";
    plan.arguments = {"python3"};
    plan.arguments.insert(plan.arguments.end(), arguments.begin(), arguments.end());
    plan.environment = {"TMPDIR=" + folder().string()};
    plan.folder = folder();
    plan.log = folder() / "said";
    return std::make_unique<Process>(plan);
  }

  Said said_by(Process& process) {
    const auto ended = process.wait(400s);
    return {ended && ended->signal == 0 ? ended->code : -1, read(folder() / "said"), ""};
  }

  Said play(const fs::path& at, const std::vector<std::string>& options = {}) {
    return said_by(*started(at, options));
  }

  // Of a program that takes reproduce.py as a module.
  Said said_beside_the_script(const char* program) {
    const fs::path at = alone(rename_plan()) / "uses_it.py";
    std::ofstream(at) << program;
    return said_by(*python({at.string()}));
  }

  // A function with a seeded bug in the server (seeded_faults.c), called by two clients.
  void expect_seeded(const std::string& function, const std::string& first,
                     const std::string& second, const std::string& ending) {
    const std::string input = write(
        "seeded.yaml",
        fmt::format("id: seeded\nsetup:\n  - CREATE OR REPLACE FUNCTION {0} RETURNS INTEGER SONAME "
                    "'esox_seeded_faults.so'\nclients:\n  - requests: [\"SELECT {0}({1})\"]\n  - "
                    "requests: [\"SELECT {0}({2})\"]\n",
                    function, first, second));
    const fs::path found = found_by({input, "--executions", "300", "--diagnose-budget", "0",
                                     fmt::format("--server-option=--plugin-dir={}", ESOX_FAULTS)});
    ASSERT_FALSE(found.empty());
    const Said said = esox({"reproduce", found.string(), "--rounds", "3"});
    EXPECT_EQ(said.status, 1) << said.out << said.err;
    EXPECT_THAT(said.out, AllOf(HasSubstr("violated 3 of 3"), HasSubstr(": 0 of 3\n")));
    EXPECT_THAT(play(found, {"--rounds", "1"}).out, HasSubstr(ending));
    EXPECT_TRUE(nothing_is_left());
  }

  // Of servers, and of the folders in which they lived.
  bool nothing_is_left() {
    const auto folders = [&] {
      return std::count_if(
          fs::directory_iterator(folder()), fs::directory_iterator(),
          [](const auto& entry) { return entry.path().filename().string().starts_with("repro-"); });
    };
    return all_gone(30s) && wait_until([&] { return folders() == 0; }, 30s);
  }
};

// From the finding to what is sent to the server's developers, and to whether they mended it.
TEST_F(Reproducing, ARenameIsSeenHalfDoneInEveryRoundAndAllThatIsMadeOfItSaysSo) {
  const fs::path found = found_by({write("rename.yaml", kRename), "--executions", "200"});
  ASSERT_FALSE(found.empty());
  const Said said = esox({"reproduce", found.string()});
  ASSERT_EQ(said.status, 1) << said.out << said.err;
  EXPECT_THAT(said.out, HasSubstr("violated 20 of 20, held: "));
  EXPECT_THAT(said.out, HasSubstr(": 0 of 20\n"));

  ASSERT_EQ(esox({"triage", "add", "out", "--store", "store.db"}).status, 0);
  EXPECT_THAT(esox({"triage", "list", "--store", "store.db"}).out,
              HasSubstr("; reproducer by name, violated 20 of 20"));
  EXPECT_THAT(esox({"verify", found.string(), "--server-option=--table-open-cache=64"}).out,
              AllOf(HasSubstr("new: violated 20 of 20"),
                    HasSubstr("still there: its reproducer shows it there, without esox."),
                    Not(HasSubstr("Fresh draws"))));

  std::vector<std::string> asked = {"affected", found.string(), "--executions", "50", "--servers"};
  const fs::path next = fs::path(ESOX_SERVERS) / "mariadb-11.8";
  asked.push_back(fs::exists(next) ? next.string() : "mariadbd");
  if (fs::exists(next)) {
    EXPECT_THAT(esox(asked).out, HasSubstr("has it (its reproducer)\n"));
  }
  ASSERT_EQ(esox({"export", found.string(), "--to", "bundle"}).status, 0);
  const std::string page = read(folder() / "bundle/README.md");
  EXPECT_TRUE(page.starts_with(
      "# `SHOW TABLES` while `RENAME TABLE t1 TO t3, t2 TO t1`: the reply to A1 (rows): "))
      << page;
  if (fs::exists(next)) {
    EXPECT_THAT(page, HasSubstr("| violated 20 of 20 | not searched |\n"));
  }
  const Said sent = play(folder() / "bundle", {"--rounds", "3"});
  EXPECT_EQ(sent.status, 1);
  EXPECT_THAT(sent.out, HasSubstr("violated 3 of 3"));
  EXPECT_TRUE(nothing_is_left());
}

// What README.md of the bundle says, typed: two clients, gdb between them.
constexpr const char* kWithGdb = R"(
import os, re, subprocess, sys, time
bundle = sys.argv[1]
sys.path.insert(0, bundle)
import reproduce
page = open(bundle + '/README.md').read()
command = re.search(r'gdb -q.*?detach', page, re.S).group().replace('sleep(20)', 'sleep(3)')
server = subprocess.Popen([sys.executable, bundle + '/reproduce.py', '--serve'],
                          stdout=subprocess.PIPE, text=True)
pid, path = re.match(r'process (\d+), socket (\S+);', server.stdout.readline()).groups()
a, b = reproduce.MysqlConnection(path), reproduce.MysqlConnection(path)
for client in (a, b):
    client.ask('USE test')
said = open(bundle + '/gdb.txt', 'w+')
gdb = subprocess.Popen('exec ' + command.replace('PID', pid), shell=True, stdout=said,
                       stderr=subprocess.STDOUT)
def wait_for(text, path):
    while not re.search(text, open(path).read()):
        assert gdb.poll() is None, open(bundle + '/gdb.txt').read()
        time.sleep(0.1)
wait_for(r'State:\t[^t](.|\n)*TracerPid:\t[1-9]', '/proc/%s/status' % pid)
time.sleep(2)  # between its commands the process may run for a moment
b.send('RENAME TABLE t1 TO t3, t2 TO t1')
wait_for(r'#0 .*\n#1', bundle + '/gdb.txt')
print(re.search(r'#0 .*', open(bundle + '/gdb.txt').read()).group())
print(a.ask('SHOW TABLES'))
print(b.wait())
gdb.wait()
server.send_signal(2)
print('ended with', server.wait())
)";

// Runs a command on a machine that forbids ptrace, or has no debug registers: its writing of
// registers (PTRACE_POKEUSER) says that it succeeded.
constexpr const char* kWithout = R"(
import ctypes, os, struct, sys
LOAD, IF_EQUAL, RETURN, ALLOW, FAIL = 0x20, 0x15, 0x06, 0x7fff0000, 0x00050000
PTRACE, NUMBER, ARGUMENT = 101, 0, 16
rules = {'ptrace': [(LOAD, 0, 0, NUMBER), (IF_EQUAL, 0, 1, PTRACE), (RETURN, 0, 0, FAIL | 1)],
         'registers': [(LOAD, 0, 0, NUMBER), (IF_EQUAL, 0, 3, PTRACE), (LOAD, 0, 0, ARGUMENT),
                       (IF_EQUAL, 0, 1, 6), (RETURN, 0, 0, FAIL)]}[sys.argv[1]] + [(RETURN, 0, 0, ALLOW)]
code = ctypes.create_string_buffer(b''.join(struct.pack('<HBBI', *rule) for rule in rules))
class Program(ctypes.Structure):
    _fields_ = [('length', ctypes.c_ushort), ('code', ctypes.c_void_p)]
program = Program(len(rules), ctypes.addressof(code))
libc = ctypes.CDLL(None)
if libc.prctl(38, 1, 0, 0, 0) != 0 or libc.prctl(22, 2, ctypes.byref(program), 0, 0) != 0:
    sys.exit('no filter of system calls can be had')
os.execvp(sys.argv[2], sys.argv[2:])
)";

TEST_F(Reproducing, AMachineThatLetsNoThreadBeHeldIsTold) {
  const fs::path at = alone(rename_plan());
  const std::string without = write("without.py", kWithout);
  const std::string script = (at / "reproduce.py").string();
  const std::string why = "cannot trace here: Operation not permitted; allow ptrace";
  for (const std::vector<std::string>& more :
       std::vector<std::vector<std::string>>{{"--check"}, {"--rounds", "1"}}) {
    std::vector<std::string> line = {without, "ptrace", "python3", script};
    line.insert(line.end(), more.begin(), more.end());
    const Said said = said_by(*python(line));
    EXPECT_EQ(said.status, 2);
    EXPECT_THAT(said.out, HasSubstr(why));
  }
  const Said doctor = said_by(*python({without, "ptrace", ESOX_PROGRAM, "doctor"}));
  EXPECT_THAT(doctor.out, AllOf(HasSubstr("no thread can be held"), HasSubstr(why)));
  EXPECT_TRUE(nothing_is_left());
}

// As many virtual ones are.
TEST_F(Reproducing, AMachineWithoutDebugRegistersHoldsThreadsByTrapsInTheCode) {
  const fs::path at = alone(rename_plan());
  const std::string without = write("without.py", kWithout);
  const std::string script = (at / "reproduce.py").string();
  const Said said =
      said_by(*python({without, "registers", "python3", script, "--rounds", "20", "--json"}));
  ASSERT_EQ(said.status, 1) << said.out;
  EXPECT_THAT(said.out, HasSubstr("violated 20 of 20"));
  EXPECT_TRUE(nothing_is_left());
}

// Interrupted there, it goes on by restart_syscall, and that is all that /proc tells from then on.
// And what a busy machine kept the script from looking at was not slept.
constexpr const char* kSleeps = R"(
import os, subprocess, sys, time
import reproduce
reproduce.check_holds()
child = subprocess.Popen([sys.executable, '-c', 'import select; select.poll().poll(100000)'])
thread = reproduce.Thread(child, child.pid)
while not thread.is_idle():
    time.sleep(0.01)
for _ in range(3):
    thread.arm([], True)
    thread.let_go()
end = time.monotonic() + 20
while thread.call() is None and time.monotonic() < end:
    time.sleep(0.01)
print('idle' if thread.is_idle() else 'in %s' % thread.call())
sleep = reproduce.Sleep()
sleep.look(True)
time.sleep(1.5)
print('awake' if sleep.look(True) < 0.5 else 'asleep')
while sleep.look(True) < 1:
    time.sleep(0.01)
print('asleep' if sleep.look(True) >= 1 and sleep.look(False) == 0 else 'awake')
child.kill()
child.wait()
)";

TEST_F(Reproducing, AThreadThatWasInterruptedInAReadIsKnownToStandInIt) {
  const Said said = said_beside_the_script(kSleeps);
  EXPECT_EQ(said.status, 0) << said.out;
  EXPECT_EQ(said.out, "idle\nawake\nasleep\n");
}

// A process that makes threads all the time: one is traced from its birth before its maker's stop
// tells of it, and a stop to tell of one is the only one that comes of an interrupt.
constexpr const char* kBirths = R"(
import subprocess, sys, time
import reproduce
reproduce.Traced.breakpoints = reproduce.Traps()
kMakes = '''
import threading, time
def make():
    while True:
        made = [threading.Thread(target=time.sleep, args=(0.001,)) for _ in range(3)]
        [one.start() for one in made]
        [one.join() for one in made]
[threading.Thread(target=make, daemon=True).start() for _ in range(4)]
time.sleep(1000)
'''
class Server:
    process = subprocess.Popen([sys.executable, '-c', kMakes])
time.sleep(1)
for _ in range(40):
    own = reproduce.OwnThreads(Server, [], [], None)
    own.begin()
    for _ in range(20):
        own.poll()
        time.sleep(0.0005)
    own.let_go()
Server.process.kill()
print(Server.process.wait())
)";

TEST_F(Reproducing, ThreadsThatAreMadeMeanwhileAreFollowedAndLetGo) {
  const Said said = said_beside_the_script(kBirths);
  EXPECT_EQ(said.status, 0) << said.out;
  EXPECT_EQ(said.out, "-9\n");
}

// One that has ended and is still listed, as a first thread is whose process goes on: what Linux
// says of it sounds as if tracing were forbidden.
constexpr const char* kEnded = R"(
import subprocess, sys, time
import reproduce
kEnds = """
import ctypes, threading, time
threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
ctypes.CDLL(None).syscall(60, 0)
"""
class Server:
    process = subprocess.Popen([sys.executable, '-c', kEnds])
while '\nState:\tZ' not in reproduce.text_of('/proc/%d/status' % Server.process.pid):
    time.sleep(0.01)
reproduce.Traced.breakpoints = reproduce.Traps()
own = reproduce.OwnThreads(Server, [], [], None)
own.begin()
print(len(own.threads))
own.let_go()
Server.process.kill()
print(Server.process.wait())
)";

TEST_F(Reproducing, AThreadThatHasEndedAndIsStillListedIsPassedOver) {
  const Said said = said_beside_the_script(kEnded);
  EXPECT_EQ(said.status, 0) << said.out;
  EXPECT_EQ(said.out, "1\n-9\n");
}

// Told to end while it takes hold of a thread, the script has one that nobody lets go.
constexpr const char* kHeldForGood = R"(
import os, subprocess, sys, time
import reproduce
kThreads = """
import threading, time
[threading.Thread(target=time.sleep, args=(1000,), daemon=True).start() for _ in range(3)]
time.sleep(1000)
"""
server = object.__new__(reproduce.Server)
server.process = subprocess.Popen([sys.executable, '-c', kThreads])
threads = '/proc/%d/task' % server.process.pid
while len(os.listdir(threads)) < 4:
    time.sleep(0.01)
tid = max(map(int, os.listdir(threads)))
reproduce.ptrace(reproduce.SEIZE, tid)
server.stop()
print(server.process)
)";

TEST_F(Reproducing, AServerEndsThoughAThreadOfItIsStillTraced) {
  const Said said = said_beside_the_script(kHeldForGood);
  EXPECT_EQ(said.status, 0) << said.out;
  EXPECT_EQ(said.out, "None\n");
}

// Told to end while the server is started, the script has one that it does not know yet.
constexpr const char* kToldToEnd = R"(
import os, signal, subprocess, sys, tempfile
import reproduce
signal.signal(signal.SIGTERM, lambda *_: sys.exit(3))
setup = reproduce.child_setup
def tell(parent):
    setup(parent)
    os.kill(parent, signal.SIGTERM)
reproduce.child_setup = tell
with tempfile.TemporaryDirectory() as folder:
    server = object.__new__(reproduce.Server)
    server.folder, server.watcher, server.launch = folder, os.pipe()[1], ['/usr/bin/sleep']
    server.process = None
    try:
        server.run(['1000'])
    except SystemExit:
        print('told')
    server.stop()
try:
    print('left: %d %d' % os.waitpid(-1, os.WNOHANG))
except ChildProcessError:
    print('none is left')
)";

TEST_F(Reproducing, AServerThatIsBeingStartedEndsWithTheScript) {
  const Said said = said_beside_the_script(kToldToEnd);
  EXPECT_EQ(said.status, 0) << said.out;
  EXPECT_EQ(said.out, "told\nnone is left\n");
}

TEST_F(Reproducing, GdbHoldsTheThreadAsTheBundleSays) {
  if (!fs::exists("/usr/bin/gdb")) GTEST_SKIP() << "gdb is not there";
  const fs::path found = found_by({write("rename.yaml", kRename), "--executions", "200"});
  ASSERT_FALSE(found.empty());
  std::ofstream(found / "reproduce.json") << measured(rename_plan()).dump();
  ASSERT_EQ(esox({"export", found.string(), "--to", "bundle"}).status, 0);
  std::ofstream(folder() / "bundle/reproduce.py") << kReproduceScript;
  const Said said =
      said_by(*python({write("without.py", kWithout), "registers", "python3",
                       write("with_gdb.py", kWithGdb), (folder() / "bundle").string()}));
  EXPECT_THAT(said.out, AllOf(HasSubstr("in mysql_rename_table"),
                              HasSubstr("[['row', 't2'], ['row', 't3'], ['2 rows'"),
                              HasSubstr("[['ok', "), HasSubstr("ended with 130")));
  EXPECT_TRUE(nothing_is_left());
}

TEST_F(Reproducing, ACrashComesWithoutEsox) {
  expect_seeded("esox_crash", "", "", "server died | signal or exit -11");
  const fs::path found = findings_in(folder() / "out").front();
  EXPECT_THAT(read(found / "stack.txt"), HasSubstr("):\n  #0 esox_crash+"));
}

TEST_F(Reproducing, ADeadlockComesWithoutEsox) {
  expect_seeded("esox_lock_pair", "0", "1", "all wait | ");
}

TEST_F(Reproducing, AHuntMakesReproducersInWhatIsLeftOfItsTime) {
  const fs::path found =
      found_by({write("rename.yaml", kRename), "--executions", "200", "--diagnose-budget", "100s"});
  ASSERT_FALSE(found.empty());
  EXPECT_TRUE(fs::exists(found / "reproduce.py"));
  EXPECT_THAT(read(folder() / "out/report.html"), HasSubstr("by name, violated 20 of 20"));
  EXPECT_THAT(json::parse(read(folder() / "out/hunt.json"))["findings"][0]["reproducer"],
              HasSubstr("violated 20 of 20"));
  EXPECT_TRUE(nothing_is_left());
}

TEST_F(Reproducing, EsoxKilledMeanwhileLeavesNoServerAndNoThreadHeld) {
  const fs::path found = found_by({write("rename.yaml", kRename), "--executions", "200"});
  ASSERT_FALSE(found.empty());
  std::mt19937 random(2);  // NOLINT(bugprone-random-generator-seed): the same moments each time
  for (const int signal : {SIGKILL, SIGTERM, SIGINT, SIGKILL}) {
    const pid_t child = start({"reproduce", found.string()}, [] {});
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 12000));
    kill(child, signal);
    (void)finish(100s);
    EXPECT_TRUE(nothing_is_left()) << strsignal(signal);
  }
}

TEST_F(Reproducing, TheNextReleaseIsShownToHaveIt) {
  const fs::path next = fs::path(ESOX_SERVERS) / "mariadb-11.8/usr/sbin/mariadbd";
  if (!fs::exists(next)) GTEST_SKIP() << next << " is not there; `make servers` fetches it";
  const Said there = play(alone(rename_plan()), {"--server", next.string()});
  EXPECT_EQ(there.status, 1);
  EXPECT_THAT(there.out, AllOf(HasSubstr("violated 20 of 20"), HasSubstr(": 0 of 20")));
}

TEST_F(Reproducing, AnOldAnswerOfTheQueryCacheTakesTwoHolds) {
  const fs::path found = hunt_until_found("out", {}, true);
  ASSERT_FALSE(found.empty());
  const Said said = esox({"reproduce", found.string(), "--json"});
  ASSERT_EQ(said.status, 1) << said.out << said.err;
  const json reproducer = json::parse(said.out);
  EXPECT_EQ(reproducer["measured"]["rounds"]["violated"], 20);
  EXPECT_EQ(reproducer["measured"]["rounds"]["control_violated"], 0);
  EXPECT_TRUE(nothing_is_left());
}

// An isolation level is broken by what was read and changed alone: not by whatever no order gives.
TEST_F(Reproducing, ATransactionThatReadsWhatItsLevelForbidsIsSeen) {
  json plan = snapshot_plan();
  const Said seen = play(alone(plan), {"--rounds", "3"});
  EXPECT_EQ(seen.status, 1) << seen.out;
  EXPECT_THAT(seen.out,
              AllOf(HasSubstr("in the order B1 A1 A2 A3 A4:"), HasSubstr("violated 3 of 3"),
                    HasSubstr("one request after the other: 0 of 3")));
  for (const auto& [request, otherwise] : {std::pair{"A3", json::array({{"row", "3"}})},
                                           std::pair{"B1", json::array({{"2 affected"}})}}) {
    json other = plan;
    other["wrong"][request] = otherwise;
    const Said said = play(alone(other), {"--rounds", "3"});
    EXPECT_EQ(said.status, 0) << said.out;
    EXPECT_THAT(said.out, HasSubstr("violated 0 of 3"));
  }
}

TEST_F(Reproducing, TheThreadThatServesASignalIsHeld) {
  json plan = signal_plan();
  const Said seen = play(alone(plan), {"--rounds", "3"});
  EXPECT_EQ(seen.status, 1) << seen.out;
  EXPECT_THAT(seen.out, AllOf(HasSubstr("violated 3 of 3, held: A at the return of acl_reload"),
                              HasSubstr("control, one request after the other: 0 of 3")));
  plan["segments"][0]["hit"] = 9;
  const Said never = play(alone(plan), {"--rounds", "1"});
  EXPECT_EQ(never.status, 2);
  EXPECT_THAT(never.out, HasSubstr("never reached in 1 of 1"));
  EXPECT_TRUE(nothing_is_left());
}

// An order in which it waits for what comes later cannot be, as with any other request.
TEST_F(Reproducing, ASignalThatIsServedWhileItsTableIsLockedWaits) {
  json plan = signal_plan();
  plan["setup"] = json::array();
  plan["clients"][1]["requests"] = {"LOCK TABLES mysql.servers WRITE", "UNLOCK TABLES"};
  plan["segments"] = json::parse(R"([{"client": "B", "request": 0, "until": "end"},
                                     {"client": "A", "request": 0, "until": "blocked"},
                                     {"client": "B", "request": 1, "until": "end"}])");
  const Said said = play(alone(plan), {"--rounds", "2"});
  EXPECT_EQ(said.status, 0) << said.out;
  EXPECT_THAT(said.out, AllOf(HasSubstr("violated 0 of 2"), HasSubstr("in the order A1 B1 B2:"),
                              Not(HasSubstr("in the order B1 A1 B2:"))));
  EXPECT_TRUE(nothing_is_left());
}

// What is right, and the server's data, go by its options, too.
TEST_F(Reproducing, OptionsAreTriedInOneConversation) {
  json plan = rename_plan();
  plan["clients"][0]["requests"] = {"SELECT @@innodb_page_size"};
  plan["segments"] = json::parse(R"([{"client": "A", "request": 0, "until": "end"}])");
  const std::atomic<bool> no_stop{false};
  Player player("mariadbd", plan, no_stop);
  const auto held = [&](const json& options) {
    const json asked = {{"options", options}, {"segments", plan["segments"]}, {"rounds", 2}};
    return player.ask(asked).at("what").value("held", 0);
  };
  EXPECT_EQ(held(json::array()), 2);
  EXPECT_EQ(held({"--innodb-page-size=8k"}), 2);  // data of another size does not start
  EXPECT_EQ(held(json::array()), 2);
  EXPECT_THROW(held({"--no-such-option"}), ServerError);
  player.stop();
  EXPECT_TRUE(nothing_is_left());
}

TEST_F(Reproducing, AThreadOfTheServersOwnIsHeld) {
  json plan = delayed_plan();
  const Said seen = play(alone(plan), {"--rounds", "3"});
  EXPECT_EQ(seen.status, 1) << seen.out;
  // With nobody held it comes by chance, too: on a busy machine in one of ten rounds.
  EXPECT_THAT(seen.out, AllOf(HasSubstr("violated 3 of 3, held: a thread of the server's own at"),
                              HasSubstr("control, one request after the other: 0 of 3"),
                              HasSubstr("sent at once, nobody held: ")));
  plan["segments"][1]["hit"] = 9;
  const Said never = play(alone(plan), {"--rounds", "1"});
  EXPECT_EQ(never.status, 2);
  EXPECT_THAT(never.out, HasSubstr("never reached in 1 of 1"));
  EXPECT_TRUE(nothing_is_left());
}

TEST_F(Reproducing, WhatIsNotThereIsToldApart) {
  json plan = rename_plan();
  json& segments = plan["segments"];
  segments[0]["hit"] = 1;
  const Said held = play(alone(plan), {"--rounds", "5"});
  EXPECT_EQ(held.status, 0);
  EXPECT_THAT(held.out, HasSubstr("violated 0 of 5, held: B at mysql_rename_table (1st time)"));

  segments[0]["hit"] = 9;
  const Said never = play(alone(plan), {"--rounds", "2"});
  EXPECT_EQ(never.status, 2);
  EXPECT_THAT(never.out, HasSubstr("never reached in 2 of 2"));

  segments[0]["place"]["function"] = "no_such_function";
  const Said unknown = play(alone(plan), {"--rounds", "2"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.out, HasSubstr("has no function no_such_function"));

  const Said nowhere = play(alone(plan), {"--server", "/nowhere/mariadbd"});
  EXPECT_EQ(nowhere.status, 2);
  EXPECT_THAT(nowhere.out, HasSubstr("no server /nowhere/mariadbd here"));
  EXPECT_TRUE(nothing_is_left());
}

TEST_F(Reproducing, KilledAtAnyMomentLeavesNothing) {
  const fs::path at = alone(rename_plan());
  std::mt19937 random(1);  // NOLINT(bugprone-random-generator-seed): the same moments each time
  for (int i = 0; i < 10; ++i) {
    const auto script = started(at, {"--rounds", "1000"});
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 6000));
    ASSERT_TRUE(script->alive());
    if (i % 2 == 0) {
      script->kill();
    } else {
      script->terminate();
      ASSERT_TRUE(script->wait(30s));
    }
    EXPECT_TRUE(nothing_is_left()) << i;
  }
}

TEST_F(Reproducing, TheStaleNumberOfAMemcachedIsSeenInEveryRound) {
  const fs::path program = fs::path(ESOX_MEMCACHED) / "debian/usr/bin/memcached";
  if (!fs::exists(program)) GTEST_SKIP() << program << " is not there; `make memcached` fetches it";
  const std::string input = write("incr.yaml", R"(id: incr
server: memcached
setup: ["set k 0 0 2\n12"]
clients:
  - requests: ["gets k"]
  - requests: ["incr k 3"]
)");
  const fs::path found = found_by({input, "--executions", "2000", "--server", program.string()});
  ASSERT_FALSE(found.empty());
  const Said said = esox({"reproduce", found.string()});
  EXPECT_EQ(said.status, 1) << said.out << said.err;
  EXPECT_THAT(said.out, AllOf(HasSubstr("violated 20 of 20"), HasSubstr(": 0 of 20\n")));
  EXPECT_TRUE(nothing_is_left());
}

TEST_F(Reproducing, AFindingThatIsMendedDoesNotCome) {
  const fs::path found = hunt_until_found("out", {}, true);
  ASSERT_FALSE(found.empty());
  const Said said = esox({"reproduce", found.string(), "--server-option=--query-cache-size=0"});
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("The violation did not come"));
  EXPECT_FALSE(fs::exists(found / "reproduce.json"));
}

}  // namespace
}  // namespace esox
