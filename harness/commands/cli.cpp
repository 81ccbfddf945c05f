// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/cli.h"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>

namespace esox {

template <class T>
ValueCheck within(T least, T most) {
  return [=](CLI::Option& option) { option.check(CLI::Range(least, most)); };
}
template ValueCheck within(int, int);
template ValueCheck within(unsigned, unsigned);
template ValueCheck within(uint64_t, uint64_t);
template ValueCheck within(double, double);

ValueCheck one_of(std::vector<std::string> values) {
  return [values = std::move(values)](CLI::Option& option) { option.check(CLI::IsMember(values)); };
}

namespace {

class DefinedOption final : public Option {
 public:
  explicit DefinedOption(CLI::Option& defined) : defined_(defined) {}

  Option* required() override { return then(defined_.required()); }
  Option* capture_default_str() override { return then(defined_.capture_default_str()); }
  Option* check(const ValueCheck& check) override {
    check(defined_);
    return this;
  }
  Option* check(std::string (*complaint)(const std::string& value)) override {
    return then(defined_.check(std::function<std::string(const std::string&)>(complaint)));
  }
  Option* excludes(Option* other) override { return then(defined_.excludes(behind(other))); }
  Option* needs(Option* other) override { return then(defined_.needs(behind(other))); }
  Option* allow_extra_args(bool allow) override { return then(defined_.allow_extra_args(allow)); }
  Option* delimiter(char between) override { return then(defined_.delimiter(between)); }
  Option* expected(int least, int most) override { return then(defined_.expected(least, most)); }
  Option* default_str(std::string value) override { return then(defined_.default_str(value)); }
  Option* group(std::string heading) override { return then(defined_.group(heading)); }
  Option* type_name(std::string name) override { return then(defined_.type_name(name)); }
  std::string get_name() const override { return defined_.get_name(); }

 private:
  Option* then(const CLI::Option* /*defined*/) { return this; }
  static CLI::Option* behind(Option* other) {
    return &static_cast<DefinedOption*>(other)->defined_;
  }

  CLI::Option& defined_;
};

}  // namespace

Command::Command() : root_(std::make_unique<CLI::App>()), defined_(*root_) {}
Command::Command(CLI::App& defined) : defined_(defined) {}
Command::~Command() = default;

Option* Command::added(CLI::Option* option) {
  return options_.emplace_back(std::make_unique<DefinedOption>(*option)).get();
}

template <class T>
Option* Command::add_option(std::string name, T& variable, std::string text) {
  return added(defined_.add_option(std::move(name), variable, std::move(text)));
}
template Option* Command::add_option(std::string, int&, std::string);
template Option* Command::add_option(std::string, unsigned&, std::string);
template Option* Command::add_option(std::string, uint64_t&, std::string);
template Option* Command::add_option(std::string, std::optional<uint64_t>&, std::string);
template Option* Command::add_option(std::string, double&, std::string);
template Option* Command::add_option(std::string, std::string&, std::string);
template Option* Command::add_option(std::string, std::vector<std::string>&, std::string);

template <class T>
Option* Command::add_flag(std::string name, T& variable, std::string text) {
  return added(defined_.add_flag(std::move(name), variable, std::move(text)));
}
template Option* Command::add_flag(std::string, bool&, std::string);
template Option* Command::add_flag(std::string, std::string&, std::string);

Option* Command::add_option_function(std::string name, std::function<void(const std::string&)> take,
                                     std::string text) {
  return added(defined_.add_option_function<std::string>(std::move(name), take, std::move(text)));
}

Command* Command::add_subcommand(std::string name, std::string text) {
  CLI::App* part = defined_.add_subcommand(std::move(name), std::move(text));
  return parts_.emplace_back(new Command(*part)).get();
}

void Command::require_subcommand(size_t least, size_t most) {
  defined_.require_subcommand(least, most);
}

void Command::callback(std::function<void()> named) {
  defined_.callback(std::move(named));
}

void Command::footer(std::string text) {
  defined_.footer(std::move(text));
}

void Command::group(std::string heading) {
  defined_.group(std::move(heading));
}

bool Command::has_parsed_subcommand() const {
  return !defined_.get_subcommands().empty();
}

std::vector<Option*> Command::get_options() const {
  std::vector<Option*> options;
  for (const std::unique_ptr<Option>& option : options_) options.push_back(option.get());
  return options;
}

}  // namespace esox
