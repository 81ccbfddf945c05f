// SPDX-License-Identifier: Apache-2.0
// Runs tests of a regression suite under its own runner and keeps of each what the server logged.
//
//   esox -> unshare -> perl (lo up) -> [setpriv] -> mariadb-test-run.pl -> mariadbd, and for each
//                                                   test: our wrapper -> mariadb-test
//
// The runner's coordinator and workers talk over 127.0.0.1; in a network namespace of its own
// nobody else hears it, and the servers listen on unix sockets only. In a PID namespace of its own
// all of it ends with esox, however that ends. The servers refuse to run as root, and some tests
// too: as root, nobody's ids are taken.
//
// The wrapper stands in for the test's client program. It keeps the part of the two logs that the
// test has added, whole or not at all, so that what is done survives whatever comes.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "harness/import/corpus.h"
#include "targets/mariadb/suites/suite.h"

namespace esox {

struct CaptureSettings {
  unsigned jobs = 2;
  bool as_root = false;  // whether esox runs as root
};

struct CaptureProgress {
  size_t done = 0;
  size_t wanted = 0;
};

// Captures those of the tests that the corpus has no state of, and gives each one there. Ends early
// once `stop`. Throws ServerError (the runner cannot be run, or ended before it had run all: what
// it had done is kept), OutError.
void capture(const SuiteRunner& runner, const std::vector<SuiteTest>& tests, Corpus& corpus,
             const CaptureSettings& settings, const std::atomic<bool>& stop,
             const std::function<void(const CaptureProgress&)>& show);

}  // namespace esox
