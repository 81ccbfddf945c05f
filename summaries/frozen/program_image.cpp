// SPDX-License-Identifier: Apache-2.0
#include "summaries/frozen/program_image.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "base/process/proc.h"
#include "summaries/frozen/errors.h"

namespace esox {
namespace {

constexpr size_t kMostUnitsNamed = 5;

bool is_unit(const std::string& path, std::string_view wanted) {
  if (!std::string_view(path).ends_with(wanted)) return false;
  return path.size() == wanted.size() || path[path.size() - wanted.size() - 1] == '/';
}

std::string units_text(const std::vector<DebugInfo::Found>& found) {
  std::string text;
  for (size_t i = 0; i < found.size() && i < kMostUnitsNamed; ++i) {
    if (i > 0) text += ", ";
    text += std::filesystem::path(found[i].unit).filename().string();
  }
  return text;
}

void check_unique(std::string_view name, const std::vector<DebugInfo::Found>& found) {
  if (found.size() > 1) {
    throw FrozenError(fmt::format("'{}' is in {}{}; say which by 'unit'", name, units_text(found),
                                  found.size() > kMostUnitsNamed ? " and others" : ""));
  }
  if (found.front().thread_local_one) {
    throw FrozenError(fmt::format("'{}' is thread-local; each thread has another one", name));
  }
}

// A server maps files of its data, too.
bool is_program(const std::string& path) {
  std::string magic(SELFMAG, '\0');
  return std::ifstream(path, std::ios::binary).read(magic.data(), SELFMAG) && magic == ELFMAG;
}

}  // namespace

ProgramImage ProgramImage::of_file(const std::string& path) {
  ProgramImage image;
  Module module;
  module.path = module.open_path = path;
  module.on_disk = true;
  image.modules_.push_back(std::move(module));
  image.info(image.modules_.front());
  return image;
}

// proc(5), maps. A file's first mapping is that of its first bytes. A process in a mount namespace
// of its own may have files that we see elsewhere or not at all; its root leads to them.
ProgramImage ProgramImage::of_process(pid_t pid) {
  std::error_code error;
  const std::string program =
      std::filesystem::read_symlink(fmt::format("/proc/{}/exe", pid), error).string();
  ProgramImage image;
  std::set<std::string> seen;
  for (const MappedRange& range : mapped_ranges(pid)) {
    if (!range.path.starts_with('/') || range.offset != 0) continue;
    Module module;
    module.path = range.path;
    module.begin = range.begin;
    module.open_path = fmt::format("/proc/{}/root{}", pid, module.path);
    if (!std::filesystem::is_regular_file(module.open_path, error)) module.open_path = module.path;
    if (!std::filesystem::is_regular_file(module.open_path, error) ||
        !is_program(module.open_path)) {
      continue;
    }
    if (seen.insert(module.path).second) image.modules_.push_back(std::move(module));
  }
  std::stable_partition(image.modules_.begin(), image.modules_.end(),
                        [&](const Module& module) { return module.path == program; });
  if (image.modules_.empty()) {
    throw FrozenError(fmt::format(
        "process {} is gone, or its memory map cannot be read; be the user who runs it, or root",
        pid));
  }
  return image;
}

DebugInfo& ProgramImage::info(Module& module) {
  if (module.info == nullptr) module.info = DebugInfo::of(module.path, module.open_path);
  return *module.info;
}

uint64_t ProgramImage::address_in(const Module& module, uint64_t address) {
  return module.on_disk ? address : address + module.begin - module.info->first_address();
}

// In the modules from `begin` to `end`.
std::optional<Meaning> ProgramImage::find(size_t begin, size_t end, std::string_view name,
                                          std::string_view unit) {
  for (size_t i = begin; i < end; ++i) {
    if (const auto number = info(modules_[i]).enumerator(name)) return Meaning{number};
    std::vector<DebugInfo::Found> found = info(modules_[i]).variables(name);
    const auto elsewhere = [&](const DebugInfo::Found& one) { return !is_unit(one.unit, unit); };
    if (!unit.empty() && !std::ranges::all_of(found, elsewhere)) {
      std::erase_if(found, elsewhere);
    } else if (i > 0) {
      std::erase_if(found, [](const DebugInfo::Found& one) { return !one.external; });
    }
    if (found.empty()) continue;
    check_unique(name, found);
    return Meaning{{}, address_in(modules_[i], found.front().address), found.front().type};
  }
  for (size_t i = begin; i < end; ++i) {
    if (const auto address = info(modules_[i]).symbol(name)) {
      return Meaning{{}, address_in(modules_[i], *address), nullptr};
    }
  }
  return std::nullopt;
}

Meaning ProgramImage::meaning(std::string_view name, std::string_view unit) {
  if (const auto own = find(0, 1, name, unit)) return *own;
  if (const auto of_library = find(1, modules_.size(), name, unit)) return *of_library;
  fail("variable", name);
}

const Type* ProgramImage::type(std::string_view name) {
  for (Module& module : modules_) {
    if (const Type* type = info(module).type(name)) return type;
  }
  fail("type", name);
}

const Type* ProgramImage::pointer_to(const Type* target) {
  return info(modules_.front()).pointer_to(target);
}

void ProgramImage::fail(std::string_view what, std::string_view name) {
  DebugInfo& own = info(modules_.front());
  if (!own.has_types()) {
    throw FrozenError(fmt::format(
        "no {} '{}', for {} has no debug information; build it with -g, or install the package "
        "with its debug symbols (-dbgsym)",
        what, name, own.path()));
  }
  throw FrozenError(fmt::format("no {} '{}' in {}{}{}", what, name, own.path(),
                                modules_.size() > 1 ? " and its libraries" : "",
                                what == "variable" ? own.hint(name) : std::string()));
}

}  // namespace esox
