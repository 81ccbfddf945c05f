// SPDX-License-Identifier: Apache-2.0
// The command line of a private server: small, quick to boot, and unable to leave its folder.
//
// Releases differ in their options, so the line is computed from what the program says it knows
// (release.h): an option that it does not know is left out. Only what keeps the server private must
// be known to it.
//
// Order is what makes it safe: of a repeated option the last one counts. First come the defaults,
// which the tester may override; then the tester's options; last, and so not to be overridden,
// those that keep the server private.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "targets/mysqld/release.h"

namespace esox {

// Where one server's things are.
struct MysqldPaths {
  std::filesystem::path data;
  std::filesystem::path temporary;  // its own: a booting server removes #sql* files it finds there
  std::filesystem::path socket;
  std::filesystem::path pid_file;
};

// Throws ServerError for an option that names a path (other than where the program's own parts lie)
// or does not begin with "--": a server under test must not read or write outside its folder.
void check_options(const std::vector<std::string>& options);

// The option that keeps the server private and that this release does not know; empty: none.
std::string missing_for_privacy(const Release& release);

// The whole command line, without the program.
std::vector<std::string> command_line(const Release& release, const std::filesystem::path& program,
                                      const MysqldPaths& paths,
                                      const std::vector<std::string>& options);

// For a server that is started elsewhere: what any release takes, for each passes over "loose"
// options that it does not know. Without what says where its files are.
std::vector<std::string> portable_options(const std::vector<std::string>& options);

// The same for making the template, by SQL in a file: of releases with --bootstrap on the standard
// input, of those with --initialize-insecure read by --init-file.
std::vector<std::string> template_command_line(const Release& release,
                                               const std::filesystem::path& program,
                                               const MysqldPaths& paths,
                                               const std::vector<std::string>& options,
                                               const std::filesystem::path& sql);

// How it makes its system tables.
inline bool is_bootstrapped(const Release& release) {
  return release.has("bootstrap");
}

// The folders in which the program's own things may be: of an installation, of an unpacked archive.
std::vector<std::filesystem::path> prefixes_of(const std::filesystem::path& program);

}  // namespace esox
