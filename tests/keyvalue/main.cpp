// SPDX-License-Identifier: Apache-2.0
// The esox command with one server more. A server that comes with esox has a line in
// targets/registry.cpp instead.
#include "harness/commands/esox_main.h"
#include "targets/registry.h"
#include "tests/keyvalue/target.h"

int main(int argc, char** argv) {
  static const esox::KeyvalueTarget target;
  esox::add_target(target);
  return esox::esox_main(argc, argv);
}
