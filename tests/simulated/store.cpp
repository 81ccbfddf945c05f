// SPDX-License-Identifier: Apache-2.0
#include "tests/simulated/store.h"

#include <functional>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "summaries/garbled.h"
#include "tests/simulated/target.h"

namespace esox::simulated {
namespace {

constexpr int kStoreLock = 0;
constexpr int kFirstLock = 1;  // of BOTH: one for each of two classes of names

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) {
    words.push_back(std::move(word));
  }
  words.resize(std::max<size_t>(words.size(), 3));
  return words;
}

int lock_of(const std::string& name) {
  return kFirstLock + (name.empty() ? 0 : name.front() % 2);
}

void succeed(Output& output) {
  output.answered = true;
}

void fail(Output& output, uint32_t error, const std::string& message) {
  output.answered = true;
  output.error = error;
  output.sql_state = "HY000";
  output.message = message;
}

void give(Output& output, std::vector<std::vector<std::string>> rows) {
  output.answered = true;
  ResultSet& result = output.results.emplace_back();
  result.columns = {{"value", "TEXT"}};
  for (auto& row : rows) {
    Row& cells = result.rows.emplace_back();
    for (std::string& cell : row) cells.emplace_back(std::move(cell));
  }
}

void give(Output& output, int64_t value) {
  give(output, {{std::to_string(value)}});
}

}  // namespace

// Its operations, with sites that tell request and step.
struct Store::Making {
  using Code = std::function<void()>;

  Store& store;
  Output& output;
  std::vector<std::string> words;
  size_t client;
  std::vector<model::Operation> steps;

  void add(model::Operation operation, const Code& code) {
    Store& of = store;
    operation.enabled = [guard = operation.enabled, &of](const model::World& world) {
      return of.ending_ == StoreEnding::kNone && (!guard || guard(world));
    };
    operation.run = [run = operation.run, code](model::World& world, ThreadId thread) {
      const model::Flow flow = run ? run(world, thread) : model::Flow::kGoOn;
      if (code) code();
      return flow;
    };
    steps.push_back(std::move(operation));
  }
  void mark(OpKind kind, const Code& code = {}) { add({kind, 0, {}, {}}, code); }
  void access(OpKind kind, const std::string& name, const Code& code) {
    add({kind, 1000 + std::hash<std::string>{}(name) % 1000, {}, {}}, code);
  }
  void read(const std::string& name, const Code& code) { access(OpKind::kFileRead, name, code); }
  void write(const std::string& name, const Code& code) { access(OpKind::kFileWrite, name, code); }
  void lock(int mutex = kStoreLock) { add(model::lock(mutex), {}); }
  void unlock(int mutex = kStoreLock) { add(model::unlock(mutex), {}); }
  void add_one(const std::string& name) {
    write(name, [&of = store, name, &to = output] {
      ++of.registers_[name];
      succeed(to);
    });
  }
  void locked(const std::function<void()>& body) {
    lock();
    body();
    unlock();
  }

  // One lock for both halves; where the fault is, one for each.
  void halves(bool fault, const Code& first, const Code& second) {
    lock();
    read(words[1], first);
    if (fault) unlock();
    if (fault) lock();
    write(words[1], second);
    unlock();
  }

  void add_to() {
    Store& of = store;
    const auto seen = std::make_shared<int64_t>(0);
    const bool nearly = of.faults_.lost_update && of.faults_.mending == Mending::kNearlyRight;
    const auto look = [&of, seen, name = words[1]] {
      *seen = of.registers_[name];
      ++of.half_way_;
    };
    const auto keep = [&of, seen, nearly, name = words[1], more = std::stoll(words[2]),
                       &to = output] {
      int64_t& value = of.registers_[name];
      const bool changed = value != *seen;
      if (changed && of.faults_.crash) of.ending_ = StoreEnding::kCrash;
      if (changed && of.faults_.hang) of.ending_ = StoreEnding::kHang;
      if (of.ending_ != StoreEnding::kNone) return;
      --of.half_way_;
      if (nearly && of.half_way_ == 0) *seen = value;
      value = *seen + more;
      give(to, value);
    };
    if (of.faults_.lost_update) return add_wrongly(look, keep);
    halves(of.faults_.crash || of.faults_.hang, look, keep);
  }

  void add_wrongly(const Code& look, const Code& keep) {
    const auto look_again = [&of = store, look] {
      --of.half_way_;
      look();
    };
    switch (store.faults_.mending) {
      case Mending::kOnePath:
        return halves(std::stoll(words[2]) % 2 != 0, look, keep);
      case Mending::kMoved:
        read(words[1], look);
        return locked([&] { write(words[1], keep); });
      case Mending::kNarrowed:
        locked([&] { read(words[1], look); });
        read(words[1], look_again);
        return locked([&] { write(words[1], keep); });
      case Mending::kWrongLock: {
        const int own = kFirstLock + static_cast<int>(client % 3);
        lock(own);
        read(words[1], look);
        write(words[1], keep);
        return unlock(own);
      }
      case Mending::kLogged:
        write("log", {});
        break;
      default:
        break;
    }
    halves(true, look, keep);
  }

  void take() {
    Store& of = store;
    const auto seen = std::make_shared<int64_t>(0);
    const auto look = [&of, seen, name = words[1]] { *seen = of.registers_[name]; };
    const auto keep = [&of, seen, name = words[1], &to = output] {
      int64_t& value = of.registers_[name];
      if (*seen == 0) return fail(to, 1, "nothing left");
      if (value == 0) return fail(to, 2, "less than nothing left");
      --value;
      succeed(to);
    };
    halves(of.faults_.overdraft, look, keep);
  }

  void insert() {
    Store& of = store;
    const auto count = [&of, list = words[1]] { ++of.lengths_[list]; };
    const auto seen = std::make_shared<int64_t>(0);
    lock();
    write(words[1], [&of, list = words[1], value = words[2], &to = output] {
      of.lists_[list].push_back(value);
      succeed(to);
    });
    if (!of.faults_.lost_length) write(words[1] + ".length", count);
    unlock();
    if (!of.faults_.lost_length) return;
    read(words[1] + ".length", [&of, list = words[1], seen] { *seen = of.lengths_[list]; });
    write(words[1] + ".length", [&of, list = words[1], seen] { of.lengths_[list] = *seen + 1; });
  }

  // A reader that misses fills the cache in a lock of its own.
  void read_cached() {
    Store& of = store;
    const auto value = std::make_shared<std::string>();
    const auto hit = std::make_shared<bool>(false);
    const std::string key = words[1];
    locked([&] {
      read("cache." + key, [&of, key, value, hit] {
        const auto found = of.cache_.find(key);
        *hit = found != of.cache_.end();
        *value = *hit ? found->second : of.table_[key];
      });
    });
    locked([&] {
      write("cache." + key, [&of, key, value, hit, &to = output] {
        // Correct stores look again: what was read may be old by now.
        if (!*hit && (of.faults_.stale_cache || of.table_[key] == *value)) of.cache_[key] = *value;
        give(to, {{*value}});
      });
    });
  }

  void write_cached() {
    Store& of = store;
    const std::string key = words[1];
    const auto forget = [&of, key] { of.cache_.erase(key); };
    const auto keep = [&of, key, value = words[2], &to = output] {
      of.table_[key] = value;
      succeed(to);
    };
    lock();
    write("cache." + key, forget);
    if (of.faults_.stale_cache) unlock();
    if (of.faults_.stale_cache) lock();
    write(key, keep);
    unlock();
  }

  void both() {
    int first = lock_of(words[1]);
    int second = lock_of(words[2]);
    if (!store.faults_.deadlock && first > second) std::swap(first, second);
    lock(first);
    if (second != first) lock(second);
    locked([this] {
      add_one(words[1]);
      add_one(words[2]);
    });
    if (second != first) unlock(second);
    unlock(first);
  }

  void await() {
    Store& of = store;
    const std::string name = words[1];
    model::Operation operation{OpKind::kSemWait, 1, {}, {}};
    operation.enabled = [&of, name](const model::World&) { return of.registers_[name] != 0; };
    add(std::move(operation), [&to = output] { succeed(to); });
  }

  void call() {
    for (int i = 0; i < 2; ++i) {
      locked([&] { add_one(words[1]); });
    }
  }

  void check() {
    output.results.clear();
    output.results.emplace_back().columns = {{"value", "TEXT"}};
    for (size_t i = 1; i < words.size() && !words[i].empty(); ++i) {
      locked([&] {
        read(words[i], [&of = store, name = words[i], &to = output] {
          succeed(to);
          to.results[0].rows.push_back({name, std::to_string(of.registers_[name])});
        });
      });
    }
  }

  void plain() {
    Store& of = store;
    Output& to = output;
    const std::string name = words[1];
    const std::string& verb = words[0];
    if (verb == "SELECT") return read(name, [&of, &to, name] { give(to, of.registers_[name]); });
    if (verb == "UPDATE") {
      return write(name, [&of, &to, name, value = std::stoll(words[2])] {
        of.registers_[name] = value;
        succeed(to);
      });
    }
    if (verb == "LENGTH") return read(name, [&of, &to, name] { give(to, of.lengths_[name]); });
    if (verb == "LIST") {
      return read(name, [&of, &to, name] {
        std::vector<std::vector<std::string>> rows;
        for (const std::string& one : of.lists_[name]) rows.push_back({one});
        to.ordered = true;
        give(to, std::move(rows));
      });
    }
    if (verb == "NOW") return read("date", [&of, &to] { give(to, of.date_ns_); });
    if (verb == "MOON") return read("moon", [&of, &to] { give(to, of.moon_ ? 1 : 0); });
    if (verb == "REMEMBER") {
      return read(name, [&of, &to, name, who = client] {
        of.kept_[who] = of.registers_[name];
        succeed(to);
      });
    }
    if (verb == "MUMBLE") {
      return read("", [&to] { to.message = std::string(kGarbled) + "\x01"; });
    }
    if (verb == "HOLD") return read("", [&to] { succeed(to); });
    if (verb == "DIE") return read("", [&of] { of.ending_ = StoreEnding::kCrash; });
    if (verb == "RECALL") return read("", [&of, &to, who = client] { give(to, of.kept_[who]); });
    throw std::invalid_argument("the simulated store knows no " + verb);
  }

  void make() {
    const std::string& verb = words[0];
    if (verb == store.faults_.unknown) {
      return read("", [&to = output] { fail(to, 3, "unknown request"); });
    }
    if (verb == "ADD") return add_to();
    if (verb == "TAKE") return take();
    if (verb == "INSERT") return insert();
    if (verb == "READ") return read_cached();
    if (verb == "WRITE") return write_cached();
    if (verb == "BOTH") return both();
    if (verb == "AWAIT") return await();
    if (verb == "CALL") return call();
    if (verb == "CHECK") return check();
    locked([this] { plain(); });
  }
};

std::vector<model::Operation> Store::steps(const std::string& request, size_t client,
                                           Output& output) {
  Making making{*this, output, words_of(request), client, {}};
  making.mark(OpKind::kRequestBegin);
  making.make();
  making.mark(OpKind::kRequestEnd);
  return std::move(making.steps);
}

StateSummary Store::state() const {
  std::vector<Component> components;
  std::vector<Element> registers;
  for (const auto& [name, value] : registers_) {
    if (value != 0) registers.push_back({name, std::to_string(value)});
  }
  components.push_back(make_component("rows:registers", ComponentKind::kMap, registers));
  for (const auto& [name, values] : lists_) {
    std::vector<Element> elements;
    for (const std::string& value : values) elements.push_back({"", value});
    const auto length = lengths_.find(name);
    const bool sound =
        length != lengths_.end() && length->second == static_cast<int64_t>(values.size());
    components.push_back(make_component("rows:" + name, ComponentKind::kSequence, elements));
    components.push_back(make_component("check:" + name, ComponentKind::kMultiset,
                                        {{"", sound ? "sound" : "a wrong length"}}));
  }
  const auto elements_of = [](const std::map<std::string, std::string>& map) {
    std::vector<Element> elements;
    for (const auto& [key, value] : map) {
      if (!value.empty()) elements.push_back({key, value});
    }
    return elements;
  };
  components.push_back(make_component("rows:table", ComponentKind::kMap, elements_of(table_)));
  components.push_back(make_component("cache", ComponentKind::kCache, elements_of(cache_)));
  set_meanings(components, simulated::components());
  return make_summary(std::move(components));
}

}  // namespace esox::simulated
