// SPDX-License-Identifier: Apache-2.0
// What it takes to read the structures of a frozen process: this program's own child, with a list
// and a hash table of 1,000 items of 64 bytes, and some idle threads. Shown apart: standing still
// and going on, and what is read with pages yet to be brought.
//
// The yardstick is process_vm_readv of one page for each item, without any of the rest.
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "summaries/frozen/description.h"
#include "summaries/frozen/errors.h"
#include "summaries/frozen/freeze.h"
#include "summaries/frozen/process_memory.h"
#include "summaries/frozen/program_image.h"
#include "summaries/frozen/structure_reader.h"

namespace {

constexpr unsigned kItems = 1000;
constexpr unsigned kBuckets = 1024;

}  // namespace

// Of C linkage, so that the description can name them without a namespace.
extern "C" {
struct bench_item {
  bench_item* next;
  bench_item* chain;
  unsigned flags;
  unsigned char key_bytes;
  char key[43];
};
bench_item* bench_head = nullptr;
bench_item* bench_buckets[kBuckets] = {};
}

namespace esox {
namespace {

constexpr int kThreads = 8;
constexpr int kRounds = 51;

constexpr const char* kDescription = R"yaml(
components:
  - name: list
    kind: sequence
    container: {kind: list, root: bench_head, next: next}
    fields: [{bytes: it->key, length: it->key_bytes}]
  - name: table
    kind: map
    container: {kind: hash, root: bench_buckets, next: chain}
    key: [{bytes: it->key, length: it->key_bytes}]
    fields: [it->flags, "it->flags & 1 ? 'y' : 'n'"]
)yaml";

double now_us() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

void fill() {
  for (unsigned i = 0; i < kItems; ++i) {
    auto* item = new bench_item{};
    const std::string key = fmt::format("key of item {:06}", i * 7919 % 1'000'003);
    item->flags = i;
    item->key_bytes = static_cast<unsigned char>(key.copy(item->key, sizeof item->key));
    item->next = bench_head;
    bench_head = item;
    bench_item*& bucket = bench_buckets[i * 2654435761u % kBuckets];
    item->chain = bucket;
    bucket = item;
  }
}

[[noreturn]] void serve(int ready) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (int i = 0; i < kThreads; ++i) std::thread([] { pause(); }).detach();
  (void)!write(ready, "r", 1);
  for (;;) pause();
}

struct Case {
  std::string name;
  std::vector<double> us = {};
};

double median(Case& one) {
  std::sort(one.us.begin(), one.us.end());
  return one.us[one.us.size() / 2];
}

template <class Work>
void measure(Case& to, const Work& work) {
  const double start = now_us();
  work();
  to.us.push_back(now_us() - start);
}

int run(pid_t pid) {
  const StructureDescriptions descriptions = parse_structures(kDescription, "bench");
  Case first{"debug information, once"};
  measure(first, [&] {
    ProgramImage image = ProgramImage::of_process(pid);
    (void)check_structures(descriptions, image);
  });
  std::vector<Case> cases = {{"where its files lie"},
                             {"freezing 9 threads"},
                             {"reading 2 x 1,000 items"},
                             {"letting them go on"},
                             {"yardstick: 1,000 pages"}};
  uint64_t calls = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::unique_ptr<ProgramImage> image;
    measure(cases[0],
            [&] { image = std::make_unique<ProgramImage>(ProgramImage::of_process(pid)); });
    std::unique_ptr<Freeze> freeze;
    measure(cases[1], [&] { freeze = std::make_unique<Freeze>(pid); });
    measure(cases[2], [&] {
      ProcessMemory memory(pid);
      const auto components = read_structures(descriptions, *image, memory);
      for (const Component& component : components) {
        if (component.count != kItems) throw FrozenError(component.unavailable);
      }
      calls = memory.calls();
    });
    measure(cases[3], [&] { freeze.reset(); });
    measure(cases[4], [&] {
      std::array<char, ProcessMemory::kPageBytes> page{};
      iovec ours{page.data(), page.size()};
      iovec theirs{&bench_buckets, page.size()};
      for (unsigned i = 0; i < kItems; ++i) process_vm_readv(pid, &ours, 1, &theirs, 1, 0);
    });
  }
  fmt::print("{:<26} {:9.0f} us\n", first.name, median(first));
  const double unit = median(cases.back());
  for (Case& one : cases) {
    fmt::print("{:<26} {:9.0f} us median, {:7.0f} best, {:5.2f} times the yardstick\n", one.name,
               median(one), one.us.front(), median(one) / unit);
  }
  fmt::print("calls of process_vm_readv for 2 x 1,000 items: {}\n", calls);
  return 0;
}

}  // namespace
}  // namespace esox

int main() {
  esox::fill();
  int ready[2];
  if (pipe(ready) != 0) return 3;
  const pid_t child = fork();
  if (child < 0) return 3;
  if (child == 0) esox::serve(ready[1]);
  char byte = 0;
  int status = 3;
  if (read(ready[0], &byte, 1) == 1) {
    try {
      status = esox::run(child);
    } catch (const esox::FrozenError& error) {
      fmt::print(stderr, "bench_frozen: {}\n", error.what());
    }
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return status;
}
