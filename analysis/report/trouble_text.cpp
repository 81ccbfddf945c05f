// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/trouble_text.h"

#include <fmt/format.h>
#include <xxhash.h>

#include "analysis/operation_text.h"

namespace esox {
namespace {

// "LOCK_open", or "a mutex" where it has no name.
std::string lock_text(const HeldLock& lock, const Symbols& symbols) {
  const std::string& name = symbols.object(lock.object);
  return name.empty() ? fmt::format("a {}", object_kind(lock.kind)) : name;
}

std::string client_text(ThreadId thread, const std::vector<std::string>& clients) {
  return thread < clients.size() ? clients[thread] : fmt::format("thread {}", thread);
}

class Writer {
 public:
  Writer(const Trouble& trouble, const std::vector<std::string>& clients, Symbols& symbols)
      : trouble_(trouble), clients_(clients), symbols_(symbols) {}

  std::vector<std::string> write() {
    switch (trouble_.kind) {
      case TroubleKind::kLockOrder:
        line("{}: each of {} clients can hold the lock that another one wants",
             trouble_name(trouble_.kind), trouble_.steps.size());
        for (const TroubleStep& step : trouble_.steps) {
          line("  {} holds {}, taken in {}, and wants {} in {}", client(step), lock(step.holds),
               site(step.holds), lock(step.wants), site(step.wants));
        }
        break;
      case TroubleKind::kUnguardedSignal:
        line("{}: it can come between the waiter's look at its condition and its wait",
             trouble_name(trouble_.kind));
        line("  {} waits in {}", client(trouble_.steps[0]), site(trouble_.steps[0].wants));
        line("  {} signals in {}, without having held the waiter's mutex",
             client(trouble_.steps[1]), site(trouble_.steps[1].wants));
        break;
      case TroubleKind::kHeldAtReply:
        line("{}: {} has answered its request and still holds {}, taken in {}",
             trouble_name(trouble_.kind), client(trouble_.steps[0]), lock(trouble_.steps[0].holds),
             site(trouble_.steps[0].holds));
        break;
    }
    return std::move(lines_);
  }

 private:
  template <class... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    lines_.push_back(fmt::format(format, std::forward<Arguments>(arguments)...));
  }
  std::string client(const TroubleStep& step) const { return client_text(step.thread, clients_); }
  std::string lock(const HeldLock& lock) const { return lock_text(lock, symbols_); }
  std::string site(const HeldLock& lock) const { return symbols_.site(lock.site); }

  const Trouble& trouble_;
  const std::vector<std::string>& clients_;
  Symbols& symbols_;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> trouble_lines(const Trouble& trouble,
                                       const std::vector<std::string>& clients, Symbols& symbols) {
  return Writer(trouble, clients, symbols).write();
}

std::string trouble_id(const Trouble& trouble, const Symbols& symbols) {
  std::string text = trouble_name(trouble.kind);
  for (const TroubleStep& step : trouble.steps) {
    text += fmt::format(" {} {}", symbols.module_offset(step.holds.site),
                        symbols.module_offset(step.wants.site));
  }
  return fmt::format("{:016x}", XXH3_64bits(text.data(), text.size()));
}

}  // namespace esox
