// SPDX-License-Identifier: Apache-2.0
#include "tests/simulated/target.h"

#include <array>
#include <sstream>

#include "base/process/server_error.h"
#include "targets/registry.h"

namespace esox::simulated {
namespace {

class StoreLanguage final : public RequestLanguage {
 public:
  std::string_view server() const override { return "simulated"; }

  bool is_one_step(std::string_view text, std::span<const std::string>) const override {
    return !text.starts_with("CALL ");
  }

  SessionEffect session_effect(std::string_view text) const override {
    return text == "HOLD" ? SessionEffect::kLasting : SessionEffect::kNone;
  }

  std::span<const Splitting> splittings() const override {
    static constexpr std::array<std::string_view, 1> kKinds = {"CHECK"};
    static constexpr std::array<Splitting, 1> kSplittings = {{{"names", kKinds}}};
    return kSplittings;
  }

  std::vector<RequestPart> parts(std::string_view text, std::string_view) const override {
    std::istringstream words{std::string(text)};
    std::string word;
    words >> word;
    std::vector<RequestPart> parts;
    while (words >> word) parts.push_back({"CHECK " + word, word});
    return parts;
  }
};

class SimulatedTarget final : public Target {
 public:
  const RequestLanguage& language() const override { return simulated::language(); }
  std::span<const ComponentFacts> components() const override { return simulated::components(); }
  ProgramPlaces places() const override { return {}; }
  std::unique_ptr<Server> make_server(const ServerOptions&) const override { none(); }
  std::unique_ptr<Client> make_client(int) const override { none(); }

 private:
  [[noreturn]] static void none() { throw ServerError("the simulated server has no program"); }
};

}  // namespace

const RequestLanguage& language() {
  static const StoreLanguage language;
  return language;
}

std::span<const ComponentFacts> components() {
  static constexpr std::array<ComponentFacts, 4> kFacts = {
      {{.name = "rows:*", .has_keys = true, .ordered = true},
       {.name = "check:*", .meaning = ComponentMeaning::kDamage},
       {.name = "table", .has_keys = true},
       {.name = "cache", .meaning = ComponentMeaning::kDerived, .has_keys = true}}};
  return kFacts;
}

KnownServers known_servers() {
  return {{&language(), components()}};
}

void register_target() {
  static const SimulatedTarget target;
  static const bool once = (add_target(target), true);
  (void)once;
}

}  // namespace esox::simulated
