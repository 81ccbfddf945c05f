// SPDX-License-Identifier: Apache-2.0
// Threads of a server's own beside its clients': what they do that meets these, and what they are
// called.
#include <gtest/gtest.h>

#include "analysis/background_work.h"
#include "analysis/context_role.h"
#include "preload/protocol/layout.h"
#include "tests/unit/analysis/traces.h"

namespace esox {
namespace {

using test::kMutex;
using test::kVariable;
using test::TraceBuilder;

constexpr ThreadId kContext = kMaxClients;
constexpr uint64_t kFile = 0x99;

TEST(BackgroundWork, IsALockThatAClientTakesToo) {
  EXPECT_TRUE(
      has_background_work(TraceBuilder().locks(0, kMutex).locks(kContext, kMutex).finish(), 2));
  EXPECT_FALSE(
      has_background_work(TraceBuilder().locks(0, kMutex).locks(kContext, kMutex + 8).finish(), 2));
}

TEST(BackgroundWork, IsNoneAmongClientsOrAmongContexts) {
  EXPECT_FALSE(has_background_work(TraceBuilder().locks(0, kMutex).locks(1, kMutex).finish(), 2));
  EXPECT_FALSE(has_background_work(
      TraceBuilder().locks(kContext, kMutex).locks(kContext + 1, kMutex).finish(), 2));
}

TEST(BackgroundWork, IsNoneWhereBothOnlyRead) {
  EXPECT_FALSE(
      has_background_work(TraceBuilder().reads(0, kFile).reads(kContext, kFile).finish(), 2));
  EXPECT_TRUE(
      has_background_work(TraceBuilder().reads(0, kFile).writes(kContext, kFile).finish(), 2));
  EXPECT_TRUE(
      has_background_work(TraceBuilder().writes(0, kFile).reads(kContext, kFile).finish(), 2));
}

TEST(ContextRole, IsWhereItWaitsAndWorks) {
  const ExecutionRecord record = TraceBuilder()
                                     .does(kContext, OpKind::kCondWait, kVariable, 0x10)
                                     .locks(kContext, kMutex, 0x20)
                                     .locks(kContext, kMutex, 0x30)
                                     .locks(kContext, kMutex, 0x30)
                                     .finish();
  Symbols symbols(record.modules);
  EXPECT_EQ(context_role(record, kContext, symbols),
            "waits in server+0x10, works mostly in server+0x30");
}

TEST(ContextRole, OfOneThatWasMadeMeanwhileIsWhereItWorks) {
  const ExecutionRecord record = TraceBuilder().locks(kContext, kMutex, 0x20).finish();
  Symbols symbols(record.modules);
  EXPECT_EQ(context_role(record, kContext, symbols), "made meanwhile, works mostly in server+0x20");
}

TEST(ContextRole, HasNoClient) {
  const ExecutionRecord record = TraceBuilder().locks(0, kMutex).finish();
  Symbols symbols(record.modules);
  EXPECT_EQ(context_role(record, 0, symbols), "");
}

}  // namespace
}  // namespace esox
