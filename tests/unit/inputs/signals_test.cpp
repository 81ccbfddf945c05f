// SPDX-License-Identifier: Apache-2.0
#include "inputs/signals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "inputs/writer.h"
#include "tests/unit/inputs/fixtures.h"

namespace esox {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing_inputs::message_of;

std::string input_with(const std::string& clients) {
  return "id: s\nclients:\n" + clients;
}

TEST(Signals, AreRequestsThatConsistOfAName) {
  EXPECT_EQ(signal_number("SIGHUP"), SIGHUP);
  EXPECT_EQ(signal_number("SIGUSR1"), SIGUSR1);
  EXPECT_EQ(signal_number("SIGTERM"), SIGTERM);
  for (const char* text : {"", "HUP", "sighup", "SIGHUP 1", "SIGKILL", "SIGNAL"}) {
    EXPECT_EQ(signal_number(text), 0) << text;
  }
}

TEST(Signals, AreReadForAnyServerAndWrittenBack) {
  for (const char* server : {"mariadb", "memcached"}) {
    const std::string yaml =
        input_with("  - requests: [{sql: SIGHUP}, SIGUSR1]\nserver: " + std::string(server) + "\n");
    const Input input = parse_inputs(yaml, "f.yaml", languages()).front();
    EXPECT_EQ(signalling_client(input.clients), 0u);
    Input again = parse_inputs(to_yaml(input), "f.yaml", languages()).front();
    again.origin = input.origin;
    EXPECT_EQ(again, input);
  }
}

TEST(Signals, ThatAServerCannotServeAreRefused) {
  for (const char* name : {"SIGKILL", "SIGQUIT", "SIGUSR2"}) {
    EXPECT_THAT(message_of(input_with("  - requests: [" + std::string(name) + "]\n")),
                AllOf(HasSubstr("f.yaml:3: "), HasSubstr(name), HasSubstr("it is not sent")));
  }
  EXPECT_EQ(message_of(input_with("  - requests: [\"SIGNAL SQLSTATE '45000'\", SIGNAL]\n")), "");
}

TEST(Signals, EndTheServerByTheLastOneOnly) {
  const auto ends = [](const std::string& requests) {
    const std::string yaml = input_with("  - requests: [SELECT 1]\n  - requests: " + requests);
    return ends_server(parse_inputs(yaml, "f.yaml", languages()).front().clients);
  };
  EXPECT_TRUE(ends("[SIGHUP, SIGTERM]\n"));
  EXPECT_FALSE(ends("[SIGHUP]\n"));
  EXPECT_THAT(message_of(input_with("  - requests: [SIGTERM, SIGHUP]\n")),
              HasSubstr("client A sends a signal after SIGTERM, by which the server ends"));
}

TEST(Signals, AreOneClientsAloneWhichSendsNothingElse) {
  EXPECT_THAT(message_of(input_with("  - requests: [SELECT 1]\n  - requests: [SIGHUP, DO 1]\n")),
              HasSubstr("client B sends signals and other requests; give them to two clients"));
  EXPECT_THAT(message_of(input_with("  - requests: [SIGHUP]\n  - requests: [SIGUSR1]\n")),
              HasSubstr("more than one client sends signals"));
}

}  // namespace
}  // namespace esox
