// SPDX-License-Identifier: Apache-2.0
// What a command line is defined with: commands, their options, and what these may be.
//
// The names are CLI11's, which stands behind it. CLI11 is templates and inline functions only, and
// every file that includes it compiles all of them again, for seconds: so cli.cpp does, and those
// that look at definitions (manual/), and no other. A new kind of value needs a line in cli.cpp.
//
// All pointers are to parts of the root command, and live as long as it does. Wrong definitions
// throw CLI::ConstructionError.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace esox {

// Of an option's value; told in its help.
using ValueCheck = std::function<void(CLI::Option&)>;
template <class T>
ValueCheck within(T least, T most);
ValueCheck one_of(std::vector<std::string> values);

class Option {
 public:
  virtual ~Option() = default;
  virtual Option* required() = 0;
  virtual Option* capture_default_str() = 0;  // the variable's value now is shown as the default
  virtual Option* check(const ValueCheck& check) = 0;
  virtual Option* check(std::string (*complaint)(const std::string& value)) = 0;  // empty: none
  virtual Option* excludes(Option* other) = 0;
  virtual Option* needs(Option* other) = 0;
  virtual Option* allow_extra_args(bool allow) = 0;   // of a list: several values behind one name
  virtual Option* delimiter(char between) = 0;        // of a list
  virtual Option* expected(int least, int most) = 0;  // so many values
  virtual Option* default_str(std::string value) = 0;
  virtual Option* group(std::string heading) = 0;  // in --help; empty: it is not there
  virtual Option* type_name(std::string name) = 0;
  virtual std::string get_name() const = 0;
};

class Command {
 public:
  Command();  // a root
  ~Command();

  // "--name" or an operand's "NAME". The variable must live until the line has been parsed.
  template <class T>
  Option* add_option(std::string name, T& variable, std::string text);
  // Whose value now is the default that its help shows; with what else it may be.
  template <class T>
  Option* add_defaulted(std::string name, T& variable, std::string text,
                        const ValueCheck& check = {}) {
    Option* option = add_option(std::move(name), variable, std::move(text))->capture_default_str();
    return check ? option->check(check) : option;
  }
  Option* add_option_function(std::string name, std::function<void(const std::string&)> take,
                              std::string text);
  // "--name{value}": the variable is set to that value.
  template <class T>
  Option* add_flag(std::string name, T& variable, std::string text);
  Command* add_subcommand(std::string name, std::string text);
  void require_subcommand(size_t least, size_t most);
  void callback(std::function<void()> named);  // when the line names this command
  void footer(std::string text);
  void group(std::string heading);  // of the list of commands; empty: it is not in it

  bool has_parsed_subcommand() const;
  std::vector<Option*> get_options() const;  // added here, in their order
  CLI::App& app() { return defined_; }

 private:
  explicit Command(CLI::App& defined);
  Option* added(CLI::Option* option);

  std::unique_ptr<CLI::App> root_;
  CLI::App& defined_;
  std::vector<std::unique_ptr<Option>> options_;
  std::vector<std::unique_ptr<Command>> parts_;
};

}  // namespace esox
