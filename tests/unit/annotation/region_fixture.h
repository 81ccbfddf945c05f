// SPDX-License-Identifier: Apache-2.0
// A region and a recorder in the test's own process, behind the public header's functions.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "summaries/annotation/annotated_state.h"
#include "summaries/annotation/recorder.h"
#include "summaries/annotation/region_copy.h"

namespace esox {

// Whom the header's weak symbols speak to; made real in weak_symbols.cpp.
extern Recorder* g_listener;

inline esox_element number(uint64_t value) {
  esox_element element = esox_element_new();
  esox_uint(&element, value);
  return element;
}

inline esox_element text(const std::string& value) {
  esox_element element = esox_element_new();
  esox_bytes(&element, value.data(), value.size());
  return element;
}

class RegionTest : public testing::Test {
 protected:
  RegionTest() { g_listener = &recorder_; }
  ~RegionTest() override { g_listener = nullptr; }

  void start_anew() { memory_.reset(); }
  StateSummary take() { return make_summary(annotated_components(memory_.region())); }
  Component component(const std::string& name) {
    const StateSummary state = take();
    const Component* found = state.find("annotated:" + name);
    return found != nullptr ? *found : unavailable_component(name, ComponentKind::kSet, "missing");
  }

  RegionMemory memory_;
  Recorder recorder_{memory_.region()};
};

}  // namespace esox
