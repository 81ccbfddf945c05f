// SPDX-License-Identifier: Apache-2.0
// Programs as their users build them, by gcc and by clang: with a sanitizer's own runtime in them
// they are refused in one line that says how to build instead; and places in clang's are told by
// their source lines.
#include <cstdlib>

#include "base/process/server_error.h"
#include "harness/engine/debug_symbols.h"
#include "tests/integration/tsan_fixture.h"

namespace esox {
namespace {

class BuiltProgram : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { SKIP_WITHOUT(GetParam()); }

  std::filesystem::path built(const std::string& flags) {
    std::string compiler = ESOX_GCC;
    if (std::string(GetParam()) == "clang") compiler = ESOX_CLANG;
    std::filesystem::path program = folder_.path() / "program";
    const std::string command = compiler + " -g -pthread " +
                                ESOX_PROGRAM_SOURCES "/lost_update.cpp " + flags + " -o " +
                                program.string() + " 2>" + (folder_.path() / "log").string();
    if (std::system(command.c_str()) != 0) program.clear();
    return program;
  }

  ProgramTarget target(const std::filesystem::path& program) const {
    ProgramTarget target;
    target.program = program;
    target.folder = folder_.path();
    target.preload_library = ESOX_PRELOAD;
    target.control = program_control();
    return target;
  }

  // Why it is refused; empty: it is not.
  std::string refusal(const std::filesystem::path& program) {
    try {
      const ProgramServer server(target(program), stop_);
    } catch (const ServerError& error) {
      return error.what();
    }
    return "";
  }

  PrivateDirectory folder_{temporary_base()};
  std::atomic<bool> stop_{false};
};

TEST_P(BuiltProgram, WithASanitizersRuntimeIsRefusedInOneLine) {
  for (const std::string sanitizer : {"thread", "address"}) {
    const std::filesystem::path program = built("-fsanitize=" + sanitizer);
    if (program.empty()) GTEST_SKIP() << "the runtime of -fsanitize=" << sanitizer << " is missing";
    const std::string why = refusal(program);
    EXPECT_THAT(why, testing::HasSubstr("has the runtime of -fsanitize=" + sanitizer + " in it"));
    EXPECT_THAT(why, testing::Not(testing::HasSubstr("\n")));
  }
}

// The linker is given both runtimes, and whichever is asked first is not ours.
TEST_P(BuiltProgram, CompiledAndLinkedInOneStepIsToldHowToLink) {
  const std::string library =
      "-L" + std::filesystem::path(ESOX_PRELOAD).parent_path().string() + " -lesox_tsan_rt";
  const std::filesystem::path program = built("-fsanitize=thread " + library);
  if (program.empty()) GTEST_SKIP() << "the runtime of -fsanitize=thread is missing";
  EXPECT_THAT(refusal(program), testing::HasSubstr("then link without it and with -lesox_tsan_rt"));
}

TEST_P(BuiltProgram, IsToldByItsSourceLines) {
  ProgramServer server(target(built("")), stop_);
  ProgramSpec spec;
  spec.strategy = strategy_from_text("random:p=1");
  server.run(spec);
  Symbols symbols = debug_symbols(server.modules());
  bool told = false;
  for (const TraceEvent& event : server.record().trace) {
    if (event.kind != OpKind::kMutexLock) continue;
    EXPECT_THAT(symbols.site(event.site), testing::HasSubstr("add_one"));
    EXPECT_THAT(symbols.site(event.site), testing::HasSubstr("(lost_update.cpp:"));
    told = true;
  }
  EXPECT_TRUE(told);
}

INSTANTIATE_TEST_SUITE_P(By, BuiltProgram, testing::Values("gcc", "clang"),
                         [](const auto& compiler) { return std::string(compiler.param); });

}  // namespace
}  // namespace esox
