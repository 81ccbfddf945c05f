// SPDX-License-Identifier: Apache-2.0
#include "harness/engine/stacks.h"

#include <elfutils/libdwfl.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "base/process/proc.h"

namespace esox {
namespace {

constexpr size_t kMaxFrames = 64;

int on_frame(Dwfl_Frame* frame, void* data) {
  auto& stack = *static_cast<ThreadStack*>(data);
  Dwarf_Addr pc = 0;
  if (!dwfl_frame_pc(frame, &pc, nullptr)) return DWARF_CB_ABORT;
  stack.addresses.push_back(pc);
  return stack.addresses.size() >= kMaxFrames ? DWARF_CB_ABORT : DWARF_CB_OK;
}

int on_thread(Dwfl_Thread* thread, void* data) {
  ThreadStack stack;
  stack.tid = dwfl_thread_tid(thread);
  dwfl_thread_getframes(thread, on_frame, &stack);
  static_cast<std::vector<ThreadStack>*>(data)->push_back(std::move(stack));
  return DWARF_CB_OK;
}

// Not from /proc/PID/maps, where a snapshot's code is no longer its file's.
void report_modules(Dwfl& dwfl, const std::vector<Module>& modules) {
  dwfl_report_begin(&dwfl);
  for (const Module& module : modules) {
    dwfl_report_elf(&dwfl, module.path.c_str(), module.path.c_str(), -1, module.load_base, false);
  }
  dwfl_report_end(&dwfl, nullptr, nullptr);
}

bool inside_preload(const std::string& site) {
  return site.find("esox::") != std::string::npos ||
         site.find("libesox_preload") != std::string::npos;
}

}  // namespace

std::vector<ThreadStack> take_stacks(pid_t pid, const std::vector<Module>& modules,
                                     std::string* why) {
  std::vector<ThreadStack> stacks;
  static const Dwfl_Callbacks callbacks = {dwfl_build_id_find_elf, dwfl_standard_find_debuginfo,
                                           nullptr, nullptr};
  std::unique_ptr<Dwfl, void (*)(Dwfl*)> dwfl(dwfl_begin(&callbacks), dwfl_end);
  if (dwfl) report_modules(*dwfl, modules);
  const bool attached = dwfl && dwfl_linux_proc_attach(dwfl.get(), pid, false) == 0;
  if (attached) dwfl_getthreads(dwfl.get(), on_thread, &stacks);
  if (stacks.empty()) {
    const char* message = dwfl_errmsg(-1);
    *why = fmt::format("no stacks could be taken: {}", message != nullptr ? message : "unknown");
  }
  return stacks;
}

std::vector<std::string> frames_of(const ThreadStack& stack, Symbols& symbols) {
  std::vector<std::string> frames;
  for (size_t i = 0; i < stack.addresses.size(); ++i) {
    // The innermost is an instruction, the others return addresses.
    const std::string& site = symbols.site(stack.addresses[i] + (i == 0 ? 1 : 0));
    if (!inside_preload(site)) frames.push_back(site);
  }
  return frames;
}

void leave_out_the_handler(ThreadStack& stack, uint64_t pc) {
  const auto at = std::ranges::find(stack.addresses, pc);
  if (at != stack.addresses.end()) stack.addresses.erase(stack.addresses.begin(), at);
}

pid_t own_tid(pid_t pid, pid_t tid) {
  const auto ids = proc_field(fmt::format("/proc/{}/task/{}/status", pid, tid), "NSpid");
  return ids ? static_cast<pid_t>(std::stol(ids->substr(ids->find_last_of(" \t") + 1))) : 0;
}

std::vector<Module> mapped_modules(pid_t pid, const std::vector<Module>& known) {
  std::map<std::string, Module> by_path;
  for (const Module& module : known) by_path.emplace(module.path, module);
  for (const MappedRange& one : mapped_ranges(pid)) {
    if (!one.path.starts_with('/')) continue;
    if (one.path.starts_with("/memfd:")) continue;  // no file, and of any number of parts
    auto [module, fresh] =
        by_path.try_emplace(one.path, Module{one.begin, one.end, one.begin - one.offset, one.path});
    if (!fresh) module->second.end = std::max(module->second.end, one.end);
  }
  std::vector<Module> modules;
  modules.reserve(by_path.size());
  for (auto& [path, module] : by_path) modules.push_back(std::move(module));
  return modules;
}

bool cover(const std::vector<Module>& modules, const std::vector<TraceEvent>& trace) {
  const Module* last = nullptr;  // most sites lie where the one before does
  for (const TraceEvent& event : trace) {
    const auto holds = [&](const Module& module) {
      return module.begin <= event.site && event.site < module.end;
    };
    if (event.site == 0 || (last != nullptr && holds(*last))) continue;
    const auto found = std::ranges::find_if(modules, holds);
    if (found == modules.end()) return false;
    last = &*found;
  }
  return true;
}

}  // namespace esox
