// SPDX-License-Identifier: Apache-2.0
#include "base/process/own_loader.h"

#include <dlfcn.h>
#include <elf.h>
#include <gnu/libc-version.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string_view>
#include <system_error>

#include "base/process/log_file.h"
#include "base/process/paths.h"

namespace esox {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxInterpreterBytes = 4096;
constexpr const char* kLibraryFolders[] = {
    "usr/lib/x86_64-linux-gnu", "lib/x86_64-linux-gnu", "usr/lib64", "lib64", "usr/lib", "lib"};

bool read_at(std::ifstream& file, uint64_t offset, auto& to) {
  file.seekg(static_cast<std::streamoff>(offset));
  return static_cast<bool>(file.read(reinterpret_cast<char*>(&to), sizeof to));
}

// What the program names as its loader; empty: it is no program of 64 bits, or names none.
std::string interpreter_of(const fs::path& program) {
  std::ifstream file(program, std::ios::binary);
  Elf64_Ehdr header{};
  if (!read_at(file, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr)) {
    return {};
  }
  for (size_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr part{};
    if (!read_at(file, header.e_phoff + i * sizeof part, part)) return {};
    if (part.p_type != PT_INTERP || part.p_filesz > kMaxInterpreterBytes) continue;
    std::string name(part.p_filesz, '\0');
    file.seekg(static_cast<std::streamoff>(part.p_offset));
    if (!file.read(name.data(), static_cast<std::streamsize>(name.size()))) return {};
    return name.substr(0, name.find('\0'));
  }
  return {};
}

// Links are followed as inside the root: an absolute one begins there. Empty: there is none.
fs::path file_in(const fs::path& root, const std::string& name) {
  fs::path file = root / fs::path(name).relative_path();
  std::error_code error;
  for (int links = 0; links < 8 && fs::is_symlink(file, error); ++links) {
    const fs::path to = fs::read_symlink(file, error);
    file = to.is_absolute() ? root / to.relative_path() : file.parent_path() / to;
  }
  return is_file(file) ? file : fs::path();
}

// Of a root in which /lib64 may not be linked to /usr/lib64, as unpacked packages leave it.
fs::path loader_in(const fs::path& root, const std::string& interpreter) {
  if (fs::path loader = file_in(root, interpreter); !loader.empty()) return loader;
  return file_in(root, "/usr" + interpreter);
}

struct Found {
  fs::path root;
  fs::path loader;
};

Found find_root(const fs::path& program) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(program, error);
  const std::string interpreter = error ? std::string() : interpreter_of(whole);
  if (!interpreter.starts_with('/')) return {};
  for (fs::path folder = whole.parent_path(); folder.has_relative_path();
       folder = folder.parent_path()) {
    if (fs::path loader = loader_in(folder, interpreter); !loader.empty()) {
      const bool machine = fs::equivalent(loader, interpreter, error) && !error;
      if (machine) return {};
      return {folder.filename() == "usr" ? folder.parent_path() : folder, loader};
    }
  }
  return {};
}

// 36 of "GLIBC_2.36": of the C library in the folder, by the newest of its versions; 0: none there.
int library_minor(const fs::path& library) {
  static constexpr std::string_view kMark = "GLIBC_2.";
  const std::string bytes = text_of_file(library);
  int newest = 0;
  for (size_t at = bytes.find(kMark); at != std::string::npos; at = bytes.find(kMark, at + 1)) {
    newest = std::max(newest, std::atoi(bytes.c_str() + at + kMark.size()));
  }
  return newest;
}

int own_minor() {
  const std::string_view version = gnu_get_libc_version();
  const size_t dot = version.find('.');
  return dot == version.npos ? 0 : std::atoi(version.data() + dot + 1);
}

// The folder of the C library that esox itself runs with.
std::string own_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&gnu_get_libc_version), &info) == 0) return {};
  return fs::path(info.dli_fname).parent_path().string();
}

std::vector<fs::path> library_folders(const fs::path& root) {
  std::vector<fs::path> folders;
  for (const char* folder : kLibraryFolders) {
    if (is_folder(root / folder)) folders.push_back(root / folder);
  }
  return folders;
}

}  // namespace

std::vector<std::string> Launch::words(const std::vector<std::string>& own) const {
  std::vector<std::string> words = {executable.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  words.insert(words.end(), own.begin(), own.end());
  return words;
}

Launch launch_of(const fs::path& program) {
  const Found found = find_root(program);
  if (found.root.empty()) return {program, {}, {}};
  int minor = 0;
  std::string path;
  for (const fs::path& folder : library_folders(found.root)) {
    path += (path.empty() ? "" : ":") + folder.string();
    minor = std::max(minor, library_minor(folder / "libc.so.6"));
  }
  const bool is_older = minor < own_minor();
  const std::string own = own_folder();
  if (is_older) path = own + ":" + path;
  return {is_older ? fs::path(interpreter_of(program)) : found.loader,
          {"--inhibit-cache", "--library-path", path, program.string()},
          found.root};
}

}  // namespace esox
