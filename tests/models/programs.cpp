// SPDX-License-Identifier: Apache-2.0
#include "tests/models/programs.h"

namespace esox::model {
namespace {

// A bug unless `holds`.
Code check(Guard holds) {
  return [holds = std::move(holds)](World& world) { world.bug |= !holds(world); };
}

std::vector<Operation> critical_section(int mutex, Code body) {
  return {lock(mutex, std::move(body)), unlock(mutex)};
}

std::vector<Operation> joins(ThreadId first, ThreadId last) {
  std::vector<Operation> result;
  for (ThreadId i = first; i <= last; ++i) result.push_back(join(i));
  return result;
}

std::vector<Operation> lock_both(int first, int second) {
  return {lock(first), lock(second), unlock(second), unlock(first)};
}

// One thread of carter01; its class has no other member, so it is both first in and last out.
std::vector<Operation> carter_class() {
  constexpr int m = 0;
  constexpr int l = 1;
  return {lock(m), lock(l), unlock(m), lock(m), unlock(l), unlock(m)};
}

std::vector<Operation> with_start(std::vector<Operation> operations) {
  operations.insert(operations.begin(), start());
  return operations;
}

// Writes two values that belong together, each under its own mutex.
std::vector<Operation> two_stage_writer() {
  return {lock(0, [](World& w) { w.cell[0] = 1; }), unlock(0),
          lock(1, [](World& w) { w.cell[1] = w.cell[0] + 1; }), unlock(1)};
}

std::vector<Operation> two_stage_reader() {
  return {lock(0, [](World& w) { w.cell[2] = w.cell[0]; }),
          unlock_and_leave_if(0, [](const World& w) { return w.cell[2] == 0; }),
          lock(1, check([](const World& w) { return w.cell[1] == w.cell[2] + 1; })), unlock(1)};
}

}  // namespace

Program figure_3_1() {
  enum { x, y, z, a, b, w };
  return {"figure 3.1",
          {{access(x, [](World& s) { ++s.cell[x]; }), access(y, [](World& s) { ++s.cell[y]; }),
            signal(w), access(z, check([](const World& s) { return s.cell[z] < 5; }))},
           {write(x, 1), read(x, a), access(y, [](World& s) { s.cell[y] = s.cell[a]; }), wait(w),
            read(y, b), access(z, [](World& s) { s.cell[z] = s.cell[a] + s.cell[b]; })}}};
}

Program deadlock01() {
  return with_main("deadlock01", {lock_both(0, 1), lock_both(1, 0)}, joins(1, 2));
}

Program lazy01() {
  return with_main("lazy01",
                   {critical_section(0, [](World& w) { w.cell[0] += 1; }),
                    critical_section(0, [](World& w) { w.cell[0] += 2; }),
                    critical_section(0, check([](const World& w) { return w.cell[0] < 3; }))},
                   joins(1, 3));
}

Program account() {
  enum { deposited, withdrawn };
  return with_main("account",
                   {critical_section(0, check([](const World& w) {
                                       return w.cell[deposited] == 0 || w.cell[withdrawn] == 0;
                                     })),
                    critical_section(0, [](World& w) { w.cell[deposited] = 1; }),
                    critical_section(0, [](World& w) { w.cell[withdrawn] = 1; })},
                   {});
}

Program carter01() {
  return with_main("carter01", {carter_class(), carter_class(), {}, {}}, joins(1, 4));
}

Program twostage() {
  return with_main("twostage", {two_stage_writer(), two_stage_reader()}, joins(1, 2));
}

Program use_before_init() {
  return {"use before init",
          {{write(0, 1)}, {access(0, check([](const World& w) { return w.cell[0] == 1; }))}}};
}

Program write_between_two_reads(int pad) {
  std::vector<Operation> reader(pad, access(5, {}));
  reader.push_back(read(0, 1));
  reader.push_back(access(0, check([](const World& w) { return w.cell[0] == w.cell[1]; })));
  reader.insert(reader.end(), pad, access(5, {}));
  return {"write between two reads", {std::move(reader), {write(0, 1), access(5, {})}}};
}

Program gap_then_late_write() {
  enum { x, y, seen, torn };
  return {"gap, then late write",
          {{read(x, seen), access(x, [](World& w) { w.cell[torn] = w.cell[x] != w.cell[seen]; }),
            access(y, check([](const World& w) { return !w.cell[torn] || w.cell[y] == 1; }))},
           {write(x, 1), write(y, 1)}}};
}

Program two_gaps() {
  enum { first, second, seen_first, seen_second, hits };
  return {"two gaps",
          {{read(first, seen_first),
            access(first, [](World& w) { w.cell[hits] += w.cell[first] != w.cell[seen_first]; }),
            read(second, seen_second),
            access(second,
                   [](World& w) {
                     w.cell[hits] += w.cell[second] != w.cell[seen_second];
                     w.bug |= w.cell[hits] == 2;
                   })},
           {write(first, 1), write(second, 1)}}};
}

Program lock_order_deadlock() {
  return with_main("lock_order_deadlock",
                   {with_start(lock_both(0, 1)), with_start(lock_both(1, 0))}, joins(1, 2));
}

Program two_stage_update() {
  return with_main("two_stage_update",
                   {with_start(two_stage_writer()), with_start(two_stage_reader())}, joins(1, 2));
}

Program lost_wakeup() {
  return with_main("lost_wakeup",
                   {{start(), lock(0), begin_wait(0, 0), finish_wait(0, 0), unlock(0)},
                    {start(), lock(0), signal_waiter(0), unlock(0)}},
                   joins(1, 2));
}

Program check_then_act() {
  enum { balance, mine_1, mine_2 };
  const auto withdraw = [](int mine) -> std::vector<Operation> {
    return {start(), lock(0, [mine](World& w) { w.cell[mine] = w.cell[balance]; }),
            unlock_and_leave_if(0, [mine](const World& w) { return w.cell[mine] != 0; }),
            lock(0,
                 [](World& w) {
                   ++w.cell[balance];
                   w.bug |= w.cell[balance] > 1;
                 }),
            unlock(0)};
  };
  return with_main("check_then_act", {withdraw(mine_1), withdraw(mine_2)}, joins(1, 2));
}

}  // namespace esox::model
