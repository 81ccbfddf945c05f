// SPDX-License-Identifier: Apache-2.0
#include "preload/snapshot/call_number.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/select.h>
#include <sys/syscall.h>

#include "preload/core/raw.h"
#include "preload/core/real.h"
#include "preload/protocol/snapshot.h"

namespace esox {
namespace {

using PpollFunction = int (*)(pollfd*, nfds_t, const timespec*, const sigset_t*);
using PselectFunction = int (*)(int, fd_set*, fd_set*, fd_set*, const timespec*, const sigset_t*);
using CancelStateFunction = int (*)(int, int*);
ESOX_LISTED constinit Real<PpollFunction> real_ppoll{"ppoll"};
ESOX_LISTED constinit Real<PselectFunction> real_pselect{"pselect"};
ESOX_LISTED constinit Real<CancelStateFunction> real_setcancelstate{"pthread_setcancelstate"};

constexpr int kWords = 64;  // of the stack, that are looked at
constexpr timespec kTrialLimit{1, 0};

// A place in the code that makes calls of any number.
struct CallPlace {
  uint64_t pc;       // behind the instruction; 0: not known
  uint64_t holders;  // bit i: word i of the stack was the number, each time
};
CallPlace g_places[2];  // of threads that can be cancelled, and that cannot
CallPlace* g_tried;     // while one is tried out
int64_t g_tried_number;

bool is_learnt(const CallPlace& place) {
  return place.pc != 0 && place.holders != 0;
}

uint64_t pc_of(const ucontext_t& context) {
  return static_cast<uint64_t>(context.uc_mcontext.gregs[REG_RIP]);
}

// Of the interrupted code's stack, whatever lies there: no object of ours, so nothing to watch.
__attribute__((no_sanitize("address"))) int64_t stack_word(const ucontext_t& context, int place) {
  return reinterpret_cast<const int64_t*>(context.uc_mcontext.gregs[REG_RSP])[place];
}

void send_to_self() {
  raw::call(SYS_tgkill, raw::call(SYS_getpid), raw::thread_id(), kParkSignal);
}

void try_out(CallPlace& place) {
  place = {0, ~uint64_t{0}};
  sigset_t others;
  sigfillset(&others);
  sigdelset(&others, kParkSignal);
  g_tried = &place;
  g_tried_number = SYS_ppoll;
  send_to_self();
  real_ppoll(nullptr, 0, &kTrialLimit, &others);
  g_tried_number = SYS_pselect6;
  send_to_self();
  real_pselect(0, nullptr, nullptr, nullptr, &kTrialLimit, &others);
  g_tried = nullptr;
}

}  // namespace

void try_out_calls() {
  if (is_learnt(g_places[0]) && is_learnt(g_places[1])) return;
  int before = 0;
  try_out(g_places[0]);
  real_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  try_out(g_places[1]);
  real_setcancelstate(before, nullptr);
}

// Two calls that come from two places are wrappers of their own: neither number is on the stack.
bool is_trial(const ucontext_t& context) {
  if (g_tried == nullptr) return false;
  CallPlace& place = *g_tried;
  if (place.pc != 0 && place.pc != pc_of(context)) place.holders = 0;
  place.pc = pc_of(context);
  for (int i = 0; i < kWords; ++i) {
    if (stack_word(context, i) != g_tried_number) place.holders &= ~(uint64_t{1} << i);
  }
  return true;
}

int64_t number_on_stack(const ucontext_t& context) {
  for (const CallPlace& place : g_places) {
    if (is_learnt(place) && place.pc == pc_of(context))
      return stack_word(context, __builtin_ctzll(place.holders));
  }
  return -1;
}

int64_t number_in_code(const ucontext_t& context) {
  const auto* call = reinterpret_cast<const uint8_t*>(pc_of(context)) - 2;
  const auto has_prefix = [](uint8_t before) { return (before & 0xf0) == 0x40; };
  if (call[-2] == 0x31 && call[-1] == 0xc0) return has_prefix(call[-3]) ? -1 : SYS_read;
  constexpr uint8_t kMoveToEax = 0xb8;
  if (call[-5] != kMoveToEax || has_prefix(call[-6])) return -1;
  uint32_t number;
  memcpy(&number, call - sizeof number, sizeof number);
  constexpr uint32_t kAboveAll = 1024;
  return number < kAboveAll ? static_cast<int64_t>(number) : -1;
}

}  // namespace esox
