// SPDX-License-Identifier: Apache-2.0
#include "harness/hunt/prefix_stepper.h"

#include <gtest/gtest.h>

namespace esox {
namespace {

InputClient client(std::vector<std::string> requests, std::vector<std::string> setup = {}) {
  InputClient made;
  made.name = "A";
  made.setup = std::move(setup);
  for (std::string& text : requests) made.requests.push_back({std::move(text), false});
  return made;
}

Input on(const char* server, std::vector<InputClient> clients) {
  Input input;
  input.server = server;
  input.clients = std::move(clients);
  return input;
}

TEST(PrefixStepper, MemcachedSessionsKeepNothingSoThatEqualStatesAreOne) {
  const Input input = on(kMemcached, {client({"set k 0 0 1\n1", "get k"}), client({"incr k 1"})});
  EXPECT_TRUE(has_steps(input));
  EXPECT_EQ(session_state(input, {0, 1}), "");
}

TEST(PrefixStepper, WhoIsGivenUniqueNumbersIsNotExecutedStepByStep) {
  EXPECT_FALSE(has_steps(on(kMemcached, {client({"get k"}), client({"gets k"})})));
  EXPECT_FALSE(has_steps(on(kMemcached, {client({"gat 9 k"}), client({"gats 9 k"})})));
  EXPECT_FALSE(has_steps(on(kMemcached, {client({"cas k 0 0 1 {cas}\n1"}, {"gets k"})})));
  EXPECT_TRUE(has_steps(on(kMariadb, {client({"gets k"})})));
}

}  // namespace
}  // namespace esox
