// SPDX-License-Identifier: Apache-2.0
#include "tests/models/program_models.h"

#include <utility>

namespace esox::model {
namespace {

// main, which creates all others before its first point, and them.
Program with_joining_main(std::string name, std::vector<std::vector<Operation>> others) {
  std::vector<Operation> main;
  for (size_t i = 1; i <= others.size(); ++i) main.push_back(join(static_cast<ThreadId>(i)));
  others.insert(others.begin(), std::move(main));
  return {std::move(name), std::move(others)};
}

Program with_joining_main(std::string name, std::vector<Operation> one,
                          std::vector<Operation> other) {
  return with_joining_main(std::move(name), {std::move(one), std::move(other)});
}

void release(World& world, int mutex) {
  world.holder[mutex] = kNoThread;
}

// lock, local code, unlock: one step, since no point lies between. The next operation is the point
// after the unlock.
Operation section(int mutex, Code body) {
  return lock(mutex, [mutex, body = std::move(body)](World& world) {
    body(world);
    release(world, mutex);
  });
}

Operation after_unlock(int mutex, Code then = {}) {
  Operation operation = access(mutex, std::move(then));
  operation.kind = OpKind::kMutexUnlock;
  return operation;
}

// A thread that does one thing under the mutex.
std::vector<Operation> one_section(Code body) {
  return {start(), section(0, std::move(body)), after_unlock(0)};
}

Operation after_unlock_leave_if(int mutex, Guard leave) {
  Operation operation = after_unlock(mutex);
  operation.run = [leave = std::move(leave)](World& world, ThreadId) {
    return leave(world) ? Flow::kLeave : Flow::kGoOn;
  };
  return operation;
}

// `then` after the operation itself.
Operation followed_by(Operation operation, Code then) {
  operation.run = [run = std::move(operation.run), then = std::move(then)](World& world,
                                                                           ThreadId self) {
    const Flow flow = run(world, self);
    then(world);
    return flow;
  };
  return operation;
}

std::vector<Operation> lock_both(int outer, int inner) {
  return {start(), lock(outer), section(inner, [](World&) {}),
          after_unlock(inner, [outer](World& w) { release(w, outer); }), after_unlock(outer)};
}

}  // namespace

Program real_lock_order_deadlock() {
  return with_joining_main("lock_order_deadlock", lock_both(0, 1), lock_both(1, 0));
}

Program real_two_stage_update() {
  enum { first, second, seen };
  return with_joining_main(
      "two_stage_update",
      {start(), section(0, [](World& w) { w.cell[first] = 1; }), after_unlock(0),
       section(1, [](World& w) { w.cell[second] = 2; }), after_unlock(1)},
      {start(), section(0, [](World& w) { w.cell[seen] = w.cell[first]; }),
       after_unlock_leave_if(0, [](const World& w) { return w.cell[seen] == 0; }),
       section(1, [](World& w) { w.bug |= w.cell[second] != w.cell[seen] + 1; }), after_unlock(1)});
}

Program real_lost_wakeup() {
  const Code unlock_now = [](World& w) { release(w, 0); };
  return with_joining_main(
      "lost_wakeup",
      {start(), lock(0), begin_wait(0, 0), followed_by(finish_wait(0, 0), unlock_now),
       after_unlock(0)},
      {start(), lock(0), followed_by(signal_waiter(0), unlock_now), after_unlock(0)});
}

Program real_check_then_act() {
  enum { taken, mine_1, mine_2 };
  const auto withdraw = [](int mine) -> std::vector<Operation> {
    return {start(), section(0, [mine](World& w) { w.cell[mine] = w.cell[taken]; }),
            after_unlock_leave_if(0, [mine](const World& w) { return w.cell[mine] != 0; }),
            section(0, [](World& w) { w.bug |= ++w.cell[taken] > 1; }), after_unlock(0)};
  };
  return with_joining_main("check_then_act", withdraw(mine_1), withdraw(mine_2));
}

Program real_late_check() {
  const Code check = [](World& w) { w.bug |= w.cell[0] >= 3; };
  return with_joining_main("late_check",
                           {one_section([](World& w) { w.cell[0] += 1; }),
                            one_section([](World& w) { w.cell[0] += 2; }), one_section(check)});
}

// main has no operation of its own: its end is a decision and nothing else.
Program real_account_check() {
  enum { deposited, withdrawn };
  const Code check = [](World& w) { w.bug |= w.cell[deposited] != 0 && w.cell[withdrawn] != 0; };
  return {"account_check",
          {{},
           one_section(check),
           one_section([](World& w) { w.cell[deposited] = 1; }),
           one_section([](World& w) { w.cell[withdrawn] = 1; })}};
}

Program real_class_lock_deadlock() {
  const std::vector<Operation> visit = {start(),
                                        lock(0),
                                        lock(1, [](World& w) { release(w, 0); }),
                                        after_unlock(0),
                                        lock(0, [](World& w) { release(w, 1); }),
                                        after_unlock(1, [](World& w) { release(w, 0); }),
                                        after_unlock(0)};
  return with_joining_main("class_lock_deadlock", {visit, visit, {start()}, {start()}});
}

Program real_token_ring() {
  return with_joining_main("token_ring", {one_section([](World& w) { w.cell[1] = 1; }),
                                          one_section([](World& w) { w.cell[2] = w.cell[1]; }),
                                          one_section([](World& w) { w.bug |= w.cell[2] != 1; })});
}

Program real_string_append() {
  enum { erased, seen };
  return with_joining_main(
      "string_append",
      {start(), lock(0), section(1, [](World& w) { w.cell[seen] = w.cell[erased]; }),
       after_unlock(1), section(1, [](World& w) { w.bug |= w.cell[erased] != w.cell[seen]; }),
       after_unlock(1, [](World& w) { release(w, 0); }), after_unlock(0)},
      {start(), section(1, [](World& w) { w.cell[erased] = 1; }), after_unlock(1)});
}

Program real_lost_update() {
  enum { count, written, mine_1, mine_2 };
  const auto add_one = [](int mine) -> std::vector<Operation> {
    const Code put = [mine](World& w) {
      w.cell[count] = w.cell[mine] + 1;
      w.bug |= ++w.cell[written] == 2 && w.cell[count] != 2;
    };
    return {start(), section(0, [mine](World& w) { w.cell[mine] = w.cell[count]; }),
            after_unlock(0), section(0, put), after_unlock(0)};
  };
  return with_joining_main("lost_update", add_one(mine_1), add_one(mine_2));
}

Program real_figure_3_1() {
  enum { x, y, z, a, b, w };
  const auto add_one = [](int cell) { return section(cell, [cell](World& s) { ++s.cell[cell]; }); };
  return with_joining_main(
      "figure_3_1",
      {start(), add_one(x), after_unlock(x), add_one(y), after_unlock(y), signal(w),
       section(z, [](World& s) { s.bug |= s.cell[z] >= 5; }), after_unlock(z)},
      {start(), section(x, [](World& s) { s.cell[x] = 1; }), after_unlock(x),
       section(x, [](World& s) { s.cell[a] = s.cell[x]; }), after_unlock(x),
       section(y, [](World& s) { s.cell[y] = s.cell[a]; }), after_unlock(y), wait(w),
       section(y, [](World& s) { s.cell[b] = s.cell[y]; }), after_unlock(y),
       section(z, [](World& s) { s.cell[z] = s.cell[a] + s.cell[b]; }), after_unlock(z)});
}

}  // namespace esox::model
