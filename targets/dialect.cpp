// SPDX-License-Identifier: Apache-2.0
// See dialect.h.
#include "targets/dialect.h"

#include <fmt/format.h>

#include <algorithm>

#include "targets/memcached/client.h"
#include "targets/mariadb/client.h"
#include "targets/annotated_program.h"
#include "base/process/server_error.h"
#include "inputs/memcached_request.h"
#include "inputs/statement.h"
#include "inputs/summary_parts.h"
#include "inputs/touched_tables.h"
#include "summaries/annotation/annotated_process.h"
#include "summaries/identities.h"
#include "targets/mariadb/state/interface.h"
#include "targets/mariadb/state/log_replay.h"
#include "targets/memcached/interface.h"

namespace esox {
namespace {

constexpr const char* kSummary = "libesox_summary.so";

// The components of several sources, taken in turn.
class Sources final : public SummarySource {
 public:
  void add(std::unique_ptr<SummarySource> source) { sources_.push_back(std::move(source)); }
  void begin() override {
    for (auto& source : sources_) source->begin();
  }
  std::vector<Component> take() override {
    std::vector<Component> all;
    for (auto& source : sources_) {
      for (Component& component : source->take()) all.push_back(std::move(component));
    }
    return all;
  }

 private:
  std::vector<std::unique_ptr<SummarySource>> sources_;
};

class MariadbDialect final : public Dialect {
 public:
  std::unique_ptr<Client> make_client(int reply_timeout_ms) const override {
    MysqlOptions options;
    options.reply_timeout_ms = reply_timeout_ms;
    return std::make_unique<MysqlClient>(options);
  }

  void empty(Client& own) const override {
    own.run_setup({"DROP DATABASE test", "CREATE DATABASE test", "USE test"});
  }

  // What the interface asks for fills the server's caches: the annotations first.
  std::unique_ptr<SummarySource> make_source(Client& own,
                                             const std::vector<std::unique_ptr<Client>>& clients,
                                             const Input& input, std::function<pid_t()> server,
                                             const std::filesystem::path& folder) override {
    std::vector<QuestionedClient> questioned;
    for (size_t i = 0; i < clients.size(); ++i) {
      QuestionedClient client{
          input.clients[i].name, ask_on(*clients[i]), {}, clients[i]->connection_id()};
      for (const Request& request : input.clients[i].requests) {
        if (!is_plain_select(request.text)) continue;
        client.questions.push_back({request.text, request.ordered});
      }
      questioned.push_back(std::move(client));
    }
    auto sources = std::make_unique<Sources>();
    sources->add(std::make_unique<AnnotatedProcess>(std::move(server)));
    auto interface = std::make_unique<MariadbInterface>(
        ask_on(own), std::move(questioned), input.observations, parts_of(input, folder));
    interface_ = interface.get();
    sources->add(std::move(interface));
    return sources;
  }

  bool says_shutdown(const Output& reply) const override {
    constexpr uint32_t kServerShutdown = 1053;
    return reply.answered && reply.error == kServerShutdown;
  }

  std::optional<WrittenLog> written_log(const std::filesystem::path& folder) const override {
    if (!interface_->log_span()) return {};
    return read_written_log(*interface_->log_span(), folder / "data");
  }

  ReplayedLog replay(const WrittenLog& log, Client& own,
                     const std::vector<std::unique_ptr<Client>>& clients,
                     const std::filesystem::path& folder,
                     const std::function<bool()>& interrupted) const override {
    std::vector<uint64_t> connections;
    for (const auto& client : clients) connections.push_back(client->connection_id());
    return esox::replay(log, {ask_on(own), connections, folder / "data", interrupted});
  }

 private:
  static MariadbParts parts_of(const Input& input, const std::filesystem::path& folder) {
    MariadbParts parts;
    parts.indexes = has_summary_part(input, "indexes");
    parts.answers = has_summary_part(input, "answers");
    parts.binlog = has_summary_part(input, "binlog");
    parts.leftovers = has_summary_part(input, "leftovers");
    parts.transactions = has_summary_part(input, "transactions");
    parts.key_blocks = has_summary_part(input, "key-blocks");
    parts.programs = has_summary_part(input, "programs");
    if (summarises_what_is_touched(input)) {
      parts.is_touched = [touched = TouchedTables(input)](const std::string& table) {
        return touched.has(table);
      };
    }
    if (has_summary_part(input, "files")) parts.server_folder = [&folder] { return folder; };
    return parts;
  }

  MariadbInterface* interface_ = nullptr;  // part of the source
};

class MemcachedDialect final : public Dialect {
 public:
  std::unique_ptr<Client> make_client(int reply_timeout_ms) const override {
    MemcachedClientOptions options;
    options.reply_timeout_ms = reply_timeout_ms;
    return std::make_unique<MemcachedClient>(options);
  }

  // Connections go to the workers in turn, so that with as many workers as clients each client has
  // one to itself: a worker is controlled as the thread of one client.
  std::vector<std::string> options(const Input& input) const override {
    constexpr std::string_view kThreads = "--threads=";
    const size_t needed = std::max<size_t>(2, input.clients.size());
    for (const std::string& option : input.server_options) {
      if (!option.starts_with(kThreads)) continue;
      if (std::strtoul(option.c_str() + kThreads.size(), nullptr, 10) >= needed) return {};
      throw ServerError(
          fmt::format("{}: {} of {} is too few; give at least {}, for each client "
                      "needs a worker thread to itself",
                      input.origin, option, input.id, needed));
    }
    return {fmt::format("{}{}", kThreads, needed)};
  }

  void empty(Client& own) const override { own.run_setup({"flush_all"}); }

  // The interface first: asking for the keys takes away what is dead (memcached_interface.h).
  std::unique_ptr<SummarySource> make_source(Client& own,
                                             const std::vector<std::unique_ptr<Client>>&,
                                             const Input& input, std::function<pid_t()> server,
                                             const std::filesystem::path&) override {
    auto sources = std::make_unique<Sources>();
    sources->add(std::make_unique<MemcachedInterface>(ask_on(own), keys_of(input),
                                                      input.observations, identities_));
    sources->add(std::make_unique<AnnotatedProcess>(std::move(server)));
    return sources;
  }

  void name_identities(Outcome& outcome) override { identities_.name_outputs(outcome); }

 private:
  static std::vector<std::string> keys_of(const Input& input) {
    std::vector<std::string> keys;
    const auto add = [&](const std::string& text) {
      for (const std::string& key : memcached_request(text).keys) keys.push_back(key);
    };
    for (const std::string& text : input.setup) add(text);
    for (const InputClient& client : input.clients) {
      for (const std::string& text : client.setup) add(text);
      for (const Request& request : client.requests) add(request.text);
    }
    return keys;
  }

  Identities identities_;
};

}  // namespace

std::vector<std::string> Dialect::options(const Input&) const {
  return {};
}

ReplayedLog Dialect::replay(const WrittenLog&, Client&, const std::vector<std::unique_ptr<Client>>&,
                            const std::filesystem::path&, const std::function<bool()>&) const {
  ReplayedLog none;
  none.unavailable = "servers of this kind replay no log";
  return none;
}

std::vector<std::string> annotation_environment(const std::filesystem::path& program,
                                                const std::filesystem::path& preload_library) {
  if (!is_annotated(program)) return {};
  const std::filesystem::path library = preload_library.parent_path() / kSummary;
  std::error_code error;
  if (!std::filesystem::exists(library, error)) {
    throw ServerError(fmt::format("{} is annotated, but {} is not there; install esox again",
                                  program.string(), library.string()));
  }
  return {fmt::format("{}=1", kRecordVariable),
          fmt::format("LD_PRELOAD={}:{}", preload_library.string(), library.string())};
}

std::unique_ptr<Dialect> make_dialect(const std::string& server) {
  if (server == kMariadb) return std::make_unique<MariadbDialect>();
  if (server == kMemcached) return std::make_unique<MemcachedDialect>();
  throw ServerError(fmt::format("this esox knows no server of the kind '{}'", server));
}

std::vector<std::string> server_options(const Dialect& dialect, const Input& input) {
  std::vector<std::string> options = dialect.options(input);
  options.insert(options.end(), input.server_options.begin(), input.server_options.end());
  return options;
}

Ask ask_on(Client& client) {
  return [&client](const std::string& text) { return client.run(Request{text, false}); };
}

}  // namespace esox
