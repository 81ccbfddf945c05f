// SPDX-License-Identifier: Apache-2.0
// esox: finds concurrency bugs in unmodified database servers. See README.md and `esox --help`.
#include "harness/commands/esox_main.h"

int main(int argc, char** argv) {
  return esox::esox_main(argc, argv);
}
