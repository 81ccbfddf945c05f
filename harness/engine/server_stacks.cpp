// SPDX-License-Identifier: Apache-2.0
#include "harness/engine/server_stacks.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "analysis/finding.h"
#include "analysis/thread_name.h"
#include "harness/engine/debug_symbols.h"
#include "harness/engine/stacks.h"

namespace esox {
namespace {

// kMaxSlots: it is not controlled.
size_t slot_of(const ControlBlock& block, pid_t tid) {
  const auto at = std::ranges::find_if(block.slots, [tid](const ThreadSlot& slot) {
    return slot.state != ThreadState::kFree && slot.tid == static_cast<uint32_t>(tid);
  });
  return static_cast<size_t>(at - std::begin(block.slots));
}

bool is_client(const ControlBlock& block, pid_t tid) {
  return slot_of(block, tid) < block.clients;
}

std::string title_of_thread(const StackedServer& server, pid_t tid) {
  const size_t slot = slot_of(server.block, tid);
  if (slot == kMaxSlots) return fmt::format("thread {}:", tid);
  const std::string name = thread_name(client_names(server.input), static_cast<ThreadId>(slot));
  return fmt::format("thread {} ({}{}):", tid, is_client(server.block, tid) ? "client " : "", name);
}

}  // namespace

void add_server_stacks(const StackedServer& server, const std::string& title,
                       ExecutionRecord& record, pid_t crashed_tid, uint64_t pc) {
  std::string why;
  record.modules = mapped_modules(server.pid, record.modules);
  std::vector<ThreadStack> stacks = take_stacks(server.pid, record.modules, &why);
  for (ThreadStack& stack : stacks) stack.tid = own_tid(server.pid, stack.tid);
  Symbols symbols = debug_symbols(record.modules);
  std::vector<std::string>& detail = record.ending.detail;
  detail.push_back(title);
  const auto rank = [&](const ThreadStack& stack) {
    return stack.tid == crashed_tid ? 0 : is_client(server.block, stack.tid) ? 1 : 2;
  };
  std::ranges::stable_sort(stacks, {}, rank);
  for (ThreadStack& stack : stacks) {
    if (rank(stack) == 2 && crashed_tid != 0) continue;
    if (rank(stack) == 0) {
      leave_out_the_handler(stack, pc);
      record.ending.stack = stack.addresses;
    }
    detail.push_back(title_of_thread(server, stack.tid));
    size_t number = 0;
    for (const std::string& frame : frames_of(stack, symbols)) {
      detail.push_back(fmt::format("  #{} {}", number++, frame));
    }
  }
  if (!why.empty()) detail.push_back(why);
}

}  // namespace esox
