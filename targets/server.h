// SPDX-License-Identifier: Apache-2.0
// How a server under test is made, started, reached and stopped: one implementation per target.
//
// A server always runs privately: on data made for it in a private directory, reachable by a unix
// socket in there and by nothing else. Nobody's running service and nobody's data is ever touched.
//
// Errors are thrown as ServerError. A Server may be used by several threads at once after
// prepare(); a RunningServer by one thread, but for alive(), which any thread may call.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/process/enclosure.h"
#include "base/process/find_program.h"
#include "base/process/private_directory.h"
#include "base/process/server_error.h"

namespace esox {

struct StartRequest {
  // Where everything of this server goes; must outlive it. A server that ran here before must be
  // stopped; its data is replaced.
  const PrivateDirectory* directory = nullptr;
  std::vector<std::string> environment;  // "NAME=value", added to a fixed small environment
  std::vector<std::string> options;      // added to the server's command line
  std::chrono::milliseconds deadline{30000};
  // Not null: in namespaces of its own, see ProcessPlan.
  const Enclosure* enclosure = nullptr;
  // Not empty: the folder of another server, which has ended. What it kept, in `data`, is copied in
  // place of what prepare() made.
  std::filesystem::path left_by;
};

// What starting took, in milliseconds.
struct StartTimes {
  double copy_ms = 0;  // the data
  double boot_ms = 0;  // from the fork until it takes connections
};

// Which server, as a tester says it.
struct ServerOptions {
  std::string program;               // a path, or a name in $PATH; empty: looked for
  std::vector<std::string> options;  // for every start
  std::filesystem::path cache;       // of what starts share; empty: cache_base()
  std::filesystem::path base;        // of private folders; empty: temporary_base()
};

// Where the program of a server may be.
struct ProgramPlaces {
  std::vector<std::string> names;  // {"mariadbd", "mysqld"}; the first is told in messages
  std::string path;                // folders after $PATH, separated by ':'
  // Of a build tree, an installation, an unpacked package; "": the tree itself. At least one.
  std::vector<std::string> tree_folders = {""};
  std::string remedy;  // "install it (Debian: ...) or give its path"
};

// `wanted`: a path, its folder, or a name in $PATH; empty: one of the places' names.
inline ProgramSearch search_for(const std::string& wanted, const ProgramPlaces& places) {
  return {wanted, places.names, places.path, places.remedy, places.tree_folders};
}

class RunningServer {
 public:
  virtual ~RunningServer() = default;  // as stop()

  virtual const std::string& socket_path() const = 0;
  virtual pid_t pid() const = 0;
  // Refers to the process for as long as this object lives, even after it has died. Not for
  // closing.
  virtual int pidfd() const = 0;
  virtual bool alive() = 0;
  // Waits for its end at most so long; true if it has ended. Any thread may call.
  virtual bool wait_for_end(std::chrono::milliseconds limit) = 0;
  // "killed by SIGSEGV", "exit status 1"; empty while it is alive.
  virtual std::string exit_text() = 0;
  virtual const std::filesystem::path& log_path() const = 0;
  virtual std::string log_tail(size_t lines) const = 0;
  virtual StartTimes times() const = 0;
  // SIGKILL, by the pidfd, and waits for the end. Nothing to do if it is dead already.
  virtual void stop() = 0;
};

class Server {
 public:
  virtual ~Server() = default;
  // Makes what all starts share (a template of the data), once; later calls and later runs find it.
  virtual void prepare() = 0;
  // Starts from a fresh copy and waits until connections are taken. prepare() must have been
  // called.
  virtual std::unique_ptr<RunningServer> start(const StartRequest& request) = 0;
  virtual const std::filesystem::path& program() const = 0;
  // One line: name and version, as the program tells it.
  virtual const std::string& version() const = 0;
  // Where prepare() keeps what it made; empty: it made nothing.
  virtual std::filesystem::path prepared() const { return {}; }
};

}  // namespace esox
