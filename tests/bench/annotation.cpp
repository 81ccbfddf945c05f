// SPDX-License-Identifier: Apache-2.0
// What one annotation costs at an element of 16 bytes: building the element and recording it.
//
// Each round fills a fresh region as far as it is touched beforehand, as in a server's process: the
// log's beginning and the first component's table (each page beyond costs a page fault more). The
// cases are interleaved, so that what else the machine does strikes all alike; shown are the median
// round and the best one. The yardstick is a bare atomic addition to memory.
//
// Exit status: 0 all medians within the limit, 1 one above it.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "summaries/annotation/esox_summary.h"
#include "summaries/annotation/recorder.h"
#include "summaries/annotation/region_copy.h"

namespace {
esox::Recorder* g_recorder = nullptr;
}  // namespace

// As libesox_summary.so has them, but on a region that is reset between rounds.
extern "C" {
[[gnu::noinline]] esox_component esox_summary_open(const char* name, int kind, int inclusion) {
  return g_recorder != nullptr ? g_recorder->open(name, kind, inclusion) : 0;
}
[[gnu::noinline]] void esox_summary_record(esox_component component, int operation,
                                           const esox_element* key, const esox_element* value) {
  if (g_recorder != nullptr) g_recorder->record(component, operation, key, value);
}
[[gnu::noinline]] void esox_summary_rename(esox_component, const char*) {}
[[gnu::noinline]] void esox_summary_close(esox_component) {}
[[gnu::noinline]] void esox_summary_digest(const void*, uint64_t, unsigned char*) {}
[[gnu::noinline]] void esox_summary_component_digest(esox_component, unsigned char*) {}
}

namespace esox {
namespace {

constexpr int kRounds = 101;
constexpr uint64_t kCalls = 40'000;
constexpr uint64_t kDistinct = 4'000;  // elements held at once, of 16 bytes each
constexpr double kLimit_ns = 50;

int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

struct Case {
  std::string name;
  std::function<void(uint64_t)> call;  // the i-th
  bool limited = true;
  std::vector<double> ns = {};
};

esox_element sixteen_bytes(uint64_t number) {
  const std::array<uint64_t, 2> bytes{number, ~number};
  esox_element element = esox_element_new();
  esox_bytes(&element, bytes.data(), sizeof bytes);
  return element;
}

// Adds kDistinct elements, then removes them, and so on.
void add_and_remove(esox_component component, uint64_t i) {
  if (!esox_recording(component)) return;
  const esox_element element = sixteen_bytes(i % kDistinct);
  if (i / kDistinct % 2 == 0) {
    esox_add(component, &element);
  } else {
    esox_remove(component, &element);
  }
}

int measure() {
  RegionMemory memory;
  Recorder recorder(memory.region());
  esox_component component = 0;
  std::atomic<uint64_t> yardstick{0};
  struct Shape {
    const char* name;
    esox_kind kind;
    esox_inclusion inclusion;
  };
  const Shape shapes[] = {{"multiset, trusted", ESOX_MULTISET, ESOX_TRUSTED},
                          {"multiset, listed", ESOX_MULTISET, ESOX_LISTED},
                          {"multiset, Bloom", ESOX_MULTISET, ESOX_BLOOM},
                          {"set, listed", ESOX_SET, ESOX_LISTED},
                          {"sequence", ESOX_SEQUENCE, ESOX_TRUSTED}};
  std::vector<Case> cases;
  cases.push_back({"atomic addition", [&](uint64_t i) { yardstick.fetch_add(i); }, false});
  cases.push_back({"nobody listens", [&](uint64_t i) { add_and_remove(0, i); }});
  for (const Shape& shape : shapes) {
    const bool sequence = shape.kind == ESOX_SEQUENCE;
    cases.push_back({shape.name, [&component, sequence](uint64_t i) {
                       if (!sequence) return add_and_remove(component, i);
                       const esox_element element = sixteen_bytes(i);
                       esox_add(component, &element);
                     }});
  }
  for (int round = 0; round < kRounds; ++round) {
    for (size_t c = 0; c < cases.size(); ++c) {
      memory.reset();
      recorder.touch();
      g_recorder = &recorder;
      component = 0;
      if (c >= 2) {
        component = esox_component_open("it", shapes[c - 2].kind, shapes[c - 2].inclusion);
      }
      const auto call = cases[c].call;
      const int64_t start = now_ns();
      for (uint64_t i = 0; i < kCalls; ++i) call(i);
      cases[c].ns.push_back(static_cast<double>(now_ns() - start) / static_cast<double>(kCalls));
    }
  }
  bool within = true;
  double unit_ns = 0;
  for (Case& one : cases) {
    std::sort(one.ns.begin(), one.ns.end());
    const double median = one.ns[one.ns.size() / 2];
    if (!one.limited) unit_ns = median;
    within = within && (!one.limited || median <= kLimit_ns);
    fmt::print("{:<20} median {:5.1f} ns, best {:5.1f} ns, {:4.1f} times an atomic addition\n",
               one.name, median, one.ns.front(), median / unit_ns);
  }
  fmt::print("limit {} ns: {}\n", kLimit_ns, within ? "kept" : "EXCEEDED");
  return within ? 0 : 1;
}

}  // namespace
}  // namespace esox

int main() {
  return esox::measure();
}
