// SPDX-License-Identifier: Apache-2.0
// The state summary on a real server: what is left by statements, or done behind the server's back,
// and what is told of it.
//
// A boot takes its time: the server stays for the next test, with an empty database and new
// sessions, unless a test left it such that it cannot.
#pragma once

#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "targets/mysqld/state/interface.h"
#include "targets/sql/statement.h"
#include "tests/integration/server_fixture.h"

namespace esox {

using Statements = std::vector<std::string>;

class StateTest : public RealServerTest {
 protected:
  static void TearDownTestSuite() { kept_ = {}; }

  void TearDown() override {
    source_.reset();
    client_.reset();
    own_.reset();
    try {
      if (kept_.running != nullptr) target().empty(*connected());
    } catch (const std::exception&) {
      kept_ = {};
    }
  }

  // `questions`: SELECTs of the client.
  void start(const Statements& setup, const Statements& questions = {},
             const Statements& observations = {}, const Statements& options = {}) {
    source_.reset();
    if (kept_.running == nullptr || kept_.server != GetParam().name || kept_.options != options) {
      boot_afresh(options);
    } else {
      end_sessions();
    }
    own_ = connected();
    target().empty(*own_);
    client_ = connected();
    client_->run_setup(setup);
    QuestionedClient asked{"A", asker(*client_), {}, client_->connection_id()};
    for (const std::string& question : questions) {
      asked.questions.push_back(Question{question, orders_rows(question)});
    }
    MysqldParts parts;
    parts.databases = databases_;
    parts.server_folder = [] { return server_folder(); };
    source_ = std::make_unique<MysqldInterface>(asker(*own_), std::vector<QuestionedClient>{asked},
                                                observations, parts);
    source_->begin();
  }

  void run(const Statements& statements) {
    for (const std::string& statement : statements) ask(*client_, statement);
  }

  // Starts, runs `history` and summarises.
  StateSummary summary_of(const Statements& setup, const Statements& history,
                          const Statements& questions = {}, const Statements& observations = {},
                          const Statements& options = {}) {
    start(setup, questions, observations, options);
    run(history);
    return make_summary(source_->take());
  }

  Component taken(const std::string& name) {
    const StateSummary summary = make_summary(source_->take());
    const Component* component = summary.find(name);
    return component != nullptr ? *component : Component{};
  }

  Component after(const Statements& setup, const Statements& history, const std::string& name) {
    start(setup);
    run(history);
    Component component = taken(name);
    EXPECT_EQ(component.name, name);
    EXPECT_EQ(component.unavailable, "");
    return component;
  }

  // The names of the components that differ.
  static Statements differences(const StateSummary& a, const StateSummary& b) {
    Statements names;
    for (const Component& component : a.components) {
      const Component* other = b.find(component.name);
      if (other == nullptr || !same(component, *other)) names.push_back(component.name);
    }
    for (const Component& component : b.components) {
      if (a.find(component.name) == nullptr) names.push_back(component.name);
    }
    return names;
  }

  static std::filesystem::path server_folder() { return kept_.folder->path(); }
  static std::filesystem::path data() { return server_folder() / "data" / "test"; }

  void write_at(const std::string& file, std::streamoff offset, const std::string& bytes) {
    std::fstream stream(data() / file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(offset);
    stream << bytes;
    ASSERT_TRUE(stream.good());
  }

  bool has(const std::string& statement) {
    const Output output = ask(*own_, statement);
    return output.answered && output.error == 0;
  }

  static Ask asker(Client& client) {
    return [&client](const std::string& text) { return client.run(Request{text, false}); };
  }

  std::set<std::string> databases_;  // to be looked at beside `test`
  std::unique_ptr<MysqlClient> own_;
  std::unique_ptr<MysqlClient> client_;
  std::unique_ptr<MysqldInterface> source_;

  static void stop_server() { kept_.running->stop(); }

 private:
  struct Kept {
    std::string server;
    Statements options;
    std::unique_ptr<PrivateDirectory> folder;
    std::unique_ptr<RunningServer> running;
  };

  void boot_afresh(const Statements& options) {
    own_.reset();
    client_.reset();
    kept_ = {};
    kept_.server = GetParam().name;
    kept_.options = options;
    kept_.folder = std::make_unique<PrivateDirectory>(test_folder().path());
    kept_.running = server().start(StartRequest{kept_.folder.get(), {}, options});
  }

  std::unique_ptr<MysqlClient> connected() const {
    auto client = std::make_unique<MysqlClient>();
    client->connect(kept_.running->socket_path());
    return client;
  }

  // What they hold goes when the server has noticed.
  void end_sessions() {
    own_ = connected();
    client_.reset();
    const std::string others =
        "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE USER = 'root' AND ID <> "
        "CONNECTION_ID()";
    for (int i = 0; i < 5000; ++i) {
      const Output count = ask(*own_, others);
      ASSERT_EQ(count.error, 0U) << count.message;
      if (count.results[0].rows[0][0] == Cell("0")) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ADD_FAILURE() << "the sessions before do not end";
  }

  static inline Kept kept_;
};

}  // namespace esox
