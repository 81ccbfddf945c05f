// SPDX-License-Identifier: Apache-2.0
#include "preload/snapshot/rewind.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>

#include "preload/core/directory.h"
#include "preload/core/raw.h"
#include "preload/snapshot/address_space.h"
#include "preload/snapshot/kernel_state.h"
#include "preload/snapshot/mappings.h"
#include "preload/snapshot/page_store.h"
#include "preload/snapshot/page_watch.h"
#include "preload/snapshot/refusal.h"

// RDI: the word to wait on, ESI: while it has this value, RDX: the point to go on from, RCX: the
// count of those that came, R8D: how many are expected. Touches no memory but the two words, once
// it has begun; the last to come wakes whoever waits for the count.
asm(R"(
    .text
    .hidden esox_await_rewind
    .globl esox_await_rewind
    .type esox_await_rewind, @function
esox_await_rewind:
    movq %rdi, %r12
    movl %esi, %r13d
    movq %rdx, %r14
    movq %rcx, %rdi
    movl $1, %eax
    lock xaddl %eax, (%rdi)
    incl %eax
    cmpl %r8d, %eax
    jne 1f
    movl $202, %eax
    movl $129, %esi
    movl $1, %edx
    syscall
1:  cmpl %r13d, (%r12)
    jne 2f
    movl $202, %eax
    movq %r12, %rdi
    movl $128, %esi
    movl %r13d, %edx
    xorl %r10d, %r10d
    syscall
    jmp 1b
2:  movq %r14, %rdi
    jmp esox_resume_point
    .size esox_await_rewind, . - esox_await_rewind
)");
static_assert(SYS_futex == 202 && FUTEX_WAKE_PRIVATE == 129 && FUTEX_WAIT_PRIVATE == 128);

extern "C" [[noreturn]] __attribute__((visibility("hidden"))) void esox_await_rewind(
    std::atomic<uint32_t>* word, uint32_t seen, esox::RestorePoint* point,
    std::atomic<uint32_t>* came, uint32_t expected);
extern "C" [[noreturn]] __attribute__((visibility("hidden"))) void esox_resume_point(
    esox::RestorePoint* point);

namespace esox {
namespace {

constexpr size_t kStackBytes = size_t{128} << 10;
constexpr int64_t kGatherLimit_ns = 2'000'000'000;
constexpr long kRobustListBytes = 24;  // struct robust_list_head

// The memory apart. All zeros at first; a fork gives each child its own.
struct Apart {
  bool rewound;
  bool rewinding;
  bool can_be_rewound;
  Birthplace birthplace;
  std::atomic<uint32_t> lives;  // futex: threads wait for the next one
  std::atomic<uint32_t> came;   // futex: threads that wait so
  uint32_t expected;
  bool ended[kMaxParkedThreads];  // threads of birth, in this life
  Received received;
  int kept[kMaxDescriptorImages];
  KernelState kernel;
  Mappings born;
  Mappings now;
  PageStore pages;
  alignas(64) char stack[kStackBytes];
  alignas(PageStore::kPage) char room[PageStore::kBytes];
};
Apart* g_apart = nullptr;

void wait_on(std::atomic<uint32_t>& word, uint32_t seen, int64_t limit_ns) {
  const timespec limit{limit_ns / 1'000'000'000, limit_ns % 1'000'000'000};
  raw::call(SYS_futex, raw::address(&word), FUTEX_WAIT_PRIVATE, seen, raw::address(&limit));
}

// Of the process, this one included. /proc tells it as the number of folders in task/.
uint64_t thread_count() {
  struct stat status {};
  const char* path = "/proc/self/task";
  const long error = raw::call(SYS_stat, raw::address(path), raw::address(&status));
  return error < 0 || status.st_nlink < 2 ? 0 : status.st_nlink - 2;
}

bool is_of_birth(uint32_t tid) {
  const ParkedThreads& threads = *g_apart->birthplace.threads;
  for (uint32_t i = 0; i < threads.count; ++i) {
    if (threads.images[i].tid == tid) return true;
  }
  return false;
}

uint32_t highest_of_birth() {
  const ParkedThreads& threads = *g_apart->birthplace.threads;
  uint32_t highest = 0;
  for (uint32_t i = 0; i < threads.count; ++i) highest = std::max(highest, threads.images[i].tid);
  return highest;
}

// Those that this life has made end in their handler (rewind_thread); all others wait already.
bool end_new_threads(SnapshotReply& reply) {
  const uint64_t wanted = g_apart->expected + 1;
  const auto own = raw::thread_id();
  const int64_t until_ns = raw::now_ns(CLOCK_MONOTONIC) + kGatherLimit_ns;
  uint64_t found;
  while ((found = thread_count()) > wanted && raw::now_ns(CLOCK_MONOTONIC) < until_ns) {
    DirectoryList tasks("/proc/self/task");
    while (const char* name = tasks.opened() ? tasks.next() : nullptr) {
      const uint32_t tid = parse_number(name);
      if (tid == 0 || tid == own || is_of_birth(tid)) continue;
      raw::call(SYS_tgkill, raw::call(SYS_getpid), tid, kParkSignal);
    }
    raw::call(SYS_sched_yield);
  }
  if (found == wanted) return true;
  refuse(reply, SnapshotStep::kListThreads, ENOTSUP, "threads: ")
      .number(found)
      .text(", of its birth ")
      .number(wanted);
  return false;
}

// Those of birth that have ended are made anew in the next life. How many there are.
uint32_t count_ended(long process) {
  const ParkedThreads& threads = *g_apart->birthplace.threads;
  uint32_t count = 0;
  for (uint32_t i = 0; i < threads.count; ++i) {
    const long there = raw::call(SYS_tgkill, process, threads.images[i].tid, 0);
    g_apart->ended[i] = there == -ESRCH;
    count += g_apart->ended[i] ? 1 : 0;
  }
  return count;
}

bool gather_threads(SnapshotReply& reply) {
  const ParkedThreads& threads = *g_apart->birthplace.threads;
  const long process = raw::call(SYS_getpid);
  g_apart->came.store(0);
  g_apart->expected = threads.count - count_ended(process);
  g_apart->rewinding = true;
  for (uint32_t i = 0; i < threads.count; ++i) {
    if (g_apart->ended[i]) continue;
    const long sent = raw::call(SYS_tgkill, process, threads.images[i].tid, kParkSignal);
    if (sent == 0 || sent == -ESRCH) continue;
    refuse(reply, SnapshotStep::kParkThread, sent, "thread ")
        .number(threads.images[i].tid)
        .text(", in system call ")
        .number(static_cast<uint64_t>(threads.images[i].syscall.number))
        .text(" when its template was parked, takes no signal");
    return false;
  }
  const int64_t until_ns = raw::now_ns(CLOCK_MONOTONIC) + kGatherLimit_ns;
  for (uint32_t came; (came = g_apart->came.load()) != g_apart->expected;) {
    wait_on(g_apart->came, came, kGatherLimit_ns / 100);
    g_apart->expected = threads.count - count_ended(process);
    if (raw::now_ns(CLOCK_MONOTONIC) < until_ns) continue;
    refuse(reply, SnapshotStep::kParkThread, ETIMEDOUT, "threads that do not come: ")
        .number(g_apart->expected - g_apart->came.load());
    return false;
  }
  return end_new_threads(reply);
}

// The sockets came under the lowest free numbers. What the last life closed is among these, and
// will be made anew there.
bool take_sockets() {
  Received& received = g_apart->received;
  if (received.passed_count != received.request.fork.sockets) return false;  // no room
  for (uint32_t i = 0; i < received.passed_count; ++i) {
    const int socket = received.passed[i];
    if (!g_apart->kernel.was_open(socket)) continue;
    const long moved = raw::call(SYS_fcntl, socket, F_DUPFD_CLOEXEC, kFirstKeptFd);
    raw::call(SYS_close, socket);
    if (moved < 0) return false;
    received.passed[i] = static_cast<int>(moved);
  }
  return true;
}

[[noreturn]] void end() {
  raw::call(SYS_exit_group, 0);
  __builtin_unreachable();
}

// After the harness was told that all is well.
[[noreturn]] void end_because(const char* why) {
  SnapshotReply reply{};
  reply.from_child = 1;
  refuse(reply, SnapshotStep::kReceive, EMFILE, why);
  answer(reply);
  end();
}

// Pages are watched from the first time on, when they are as at birth: most that is written between
// a birth and then is written by the birth.
bool bring_memory_back(SnapshotReply& reply) {
  Apart& apart = *g_apart;
  if (!bring_back_address_space(apart.born, apart.now, reply) ||
      !apart.pages.note(apart.born, reply) || !apart.pages.copy_back(reply)) {
    return false;
  }
  if (!apart.rewound) watch_pages(apart.born);
  return true;
}

// On the stack apart.
[[noreturn]] void rewind() {
  SnapshotReply reply{};
  reply.ok = 1;
  Apart& apart = *g_apart;
  const bool done =
      gather_threads(reply) && apart.kernel.bring_back(reply) && bring_memory_back(reply);
  apart.rewinding = false;
  answer(reply);
  if (!done || !receive(apart.received)) end();
  if (apart.received.request.command != SnapshotCommand::kLiveAgain) end();
  if (!take_sockets()) end_because("a rewound server has no room for its clients' sockets");
  apart.rewound = true;
  esox_resume_point(apart.birthplace.point);
}

}  // namespace

bool prepare_rewinding() {
  const long mapped = raw::call(SYS_mmap, 0, sizeof(Apart), PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped < 0) return false;
  g_apart = reinterpret_cast<Apart*>(mapped);
  return true;
}

void note_birth(const Birthplace& birthplace, int passing, bool watched) {
  if (g_apart == nullptr) return;
  Apart& apart = *g_apart;
  apart.birthplace = birthplace;
  const char* path = "/proc/self/pagemap";
  const long pages = raw::call(SYS_openat, AT_FDCWD, raw::address(path), O_RDONLY | O_CLOEXEC);
  if (pages < 0) return;
  raw::call(SYS_dup3, pages, kOwnPagesFd, O_CLOEXEC);
  raw::call(SYS_close, pages);
  if (watched) open_page_watch();
  const uint64_t begin = reinterpret_cast<uint64_t>(g_apart);
  apart.pages.begin(apart.room, begin, begin + sizeof apart);
  SnapshotReply unsaid{};
  apart.can_be_rewound = apart.kernel.note(*birthplace.descriptors, passing, highest_of_birth()) &&
                         apart.born.read() && apart.pages.note(apart.born, unsaid);
  note_irreplaceable(apart.born);
}

bool is_rewound() {
  return g_apart != nullptr && g_apart->rewound;
}

int* kept_descriptors() {
  return g_apart != nullptr ? g_apart->kept : nullptr;
}

void rewind_process() {
  if (g_apart == nullptr || !g_apart->can_be_rewound) {
    SnapshotReply reply{};
    refuse(reply, SnapshotStep::kMemory, ENOTSUP, "this process cannot be rewound");
    answer(reply);
    end();
  }
  asm volatile(
      "movq %[top], %%rsp\n\t"
      "xorl %%ebp, %%ebp\n\t"
      "call *%[next]"
      :
      : [top] "r"(g_apart->stack + kStackBytes), [next] "r"(&rewind)
      : "memory");
  __builtin_unreachable();
}

bool is_rewinding() {
  return g_apart != nullptr && g_apart->rewinding;
}

void rewind_thread() {
  ParkedThreads& threads = *g_apart->birthplace.threads;
  const uint32_t tid = raw::thread_id();
  for (uint32_t i = 0; i < threads.count; ++i) {
    if (threads.images[i].tid != tid) continue;
    discard_signals();
    esox_await_rewind(&g_apart->lives, g_apart->lives.load(), &threads.images[i].point,
                      &g_apart->came, g_apart->expected);
  }
  // Made in this life: it ends, and the kernel writes nothing more into its memory.
  raw::call(SYS_set_tid_address, 0);
  raw::call(SYS_set_robust_list, 0, kRobustListBytes);
  while (true) raw::call(SYS_exit, 0);
}

bool has_ended(uint32_t thread) {
  return g_apart->ended[thread];
}

const Received& rewound_with() {
  return g_apart->received;
}

void let_threads_go_on() {
  g_apart->lives.fetch_add(1);
  raw::call(SYS_futex, raw::address(&g_apart->lives), FUTEX_WAKE_PRIVATE, INT32_MAX);
}

}  // namespace esox
