// SPDX-License-Identifier: Apache-2.0
// Which operations of different clients count as a meeting.
#include "analysis/contacts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace esox {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

TraceEvent contact(ThreadId thread, OpKind kind, uint64_t object, uint64_t site) {
  TraceEvent one{};
  one.thread = thread;
  one.kind = kind;
  one.object = object;
  one.site = site;
  return one;
}

ExecutionRecord record_of(std::vector<TraceEvent> trace, uint64_t load_base = 0x1000) {
  ExecutionRecord record;
  record.modules = {{load_base, load_base + 0x10000, load_base, "/usr/sbin/server"}};
  for (TraceEvent& one : trace) one.site += load_base;
  record.trace = std::move(trace);
  return record;
}

TEST(Contacts, AreSitesThatUseTheSameLock) {
  EXPECT_THAT(contacts(record_of({contact(0, OpKind::kMutexLock, 0x70, 0x10),
                                  contact(1, OpKind::kMutexLock, 0x70, 0x20)}),
                       2),
              SizeIs(1));
  EXPECT_THAT(contacts(record_of({contact(0, OpKind::kMutexLock, 0x70, 0x10),
                                  contact(1, OpKind::kMutexLock, 0x78, 0x20)}),
                       2),
              IsEmpty());
}

TEST(Contacts, OfOneClientWithItselfAreNone) {
  EXPECT_THAT(contacts(record_of({contact(0, OpKind::kMutexLock, 0x70, 0x10),
                                  contact(0, OpKind::kMutexLock, 0x70, 0x20)}),
                       2),
              IsEmpty());
}

TEST(Contacts, OfTwoReadersAreNone) {
  EXPECT_THAT(contacts(record_of({contact(0, OpKind::kReadLock, 0x70, 0x10),
                                  contact(1, OpKind::kReadLock, 0x70, 0x20)}),
                       2),
              IsEmpty());
  EXPECT_THAT(contacts(record_of({contact(0, OpKind::kReadLock, 0x70, 0x10),
                                  contact(1, OpKind::kWriteLock, 0x70, 0x20)}),
                       2),
              SizeIs(1));
}

TEST(Contacts, AreTheSameWhereverTheServerIsLoadedAndWhoeverCameFirst) {
  const std::vector<TraceEvent> one = {contact(0, OpKind::kMutexLock, 0x70, 0x10),
                                       contact(1, OpKind::kMutexLock, 0x70, 0x20)};
  const std::vector<TraceEvent> other = {contact(0, OpKind::kMutexLock, 0x90, 0x20),
                                         contact(1, OpKind::kMutexLock, 0x90, 0x10)};
  EXPECT_EQ(contacts(record_of(one), 2), contacts(record_of(other, 0x7f0000000000), 2));
}

TEST(Contacts, DoNotCountReleasesNorThreadsThatAreNoClients) {
  EXPECT_THAT(contacts(record_of({contact(0, OpKind::kMutexLock, 0x70, 0x10),
                                  contact(1, OpKind::kMutexUnlock, 0x70, 0x20),
                                  contact(2, OpKind::kMutexLock, 0x70, 0x30)}),
                       2),
              IsEmpty());
}

}  // namespace
}  // namespace esox
