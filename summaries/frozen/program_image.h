// SPDX-License-Identifier: Apache-2.0
// A program as its files describe it: in a process, where its variables have addresses, or on disk.
//
// Names are looked for in the program itself first, then in the shared libraries of the process;
// within each of the two in debug information before symbol tables. A library's own static
// variables are taken only by the name of their unit: libc alone has many.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "summaries/frozen/debug_info.h"
#include "summaries/frozen/program.h"

namespace esox {

class ProgramImage final : public Program {
 public:
  // Both throw FrozenError.
  static ProgramImage of_process(pid_t pid);
  static ProgramImage of_file(const std::string& path);

  Meaning meaning(std::string_view name, std::string_view unit) override;
  const Type* type(std::string_view name) override;
  const Type* pointer_to(const Type* target) override;

  const std::string& path() const { return modules_.front().path; }

 private:
  struct Module {
    std::string path;
    std::string open_path;
    uint64_t begin = 0;               // where its first byte lies
    bool on_disk = false;             // it lies nowhere
    std::shared_ptr<DebugInfo> info;  // when first needed
  };

  ProgramImage() = default;
  DebugInfo& info(Module& module);
  std::optional<Meaning> find(size_t begin, size_t end, std::string_view name,
                              std::string_view unit);
  static uint64_t address_in(const Module& module, uint64_t address);
  [[noreturn]] void fail(std::string_view what, std::string_view name);

  std::vector<Module> modules_;  // the program first
};

}  // namespace esox
