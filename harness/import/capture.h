// SPDX-License-Identifier: Apache-2.0
// Runs tests of a regression suite under its own runner and keeps of each the log of what it did.
//
//   esox -> unshare -> perl (lo up) -> [setpriv] -> the runner -> servers, and for each test:
//                                                       our stand-in -> its client program
//
// The runner's coordinator and workers talk over 127.0.0.1; in a network namespace of its own
// nobody else hears it, and the servers listen on unix sockets only. In a PID namespace of its own
// all of it ends with esox, however that ends. The servers refuse to run as root, and some tests
// too: as root, nobody's ids are taken.
//
// What stands in for the test's client program keeps the test's log, whole or not at all, so that
// what is done survives whatever comes.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <vector>

#include "harness/import/corpus.h"
#include "targets/imports.h"

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
void capture(const TestSuites& suites, const std::vector<SuiteTest>& tests, Corpus& corpus,
             const CaptureSettings& settings, const std::atomic<bool>& stop,
             const std::function<void(const CaptureProgress&)>& show);

}  // namespace esox
