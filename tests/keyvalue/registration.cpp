// SPDX-License-Identifier: Apache-2.0
// Makes the key-value server known to the esox command that this file is linked with. A server that
// comes with esox has a line in targets/registry.cpp instead.
#include "targets/registry.h"
#include "tests/keyvalue/target.h"

namespace esox {
namespace {

const KeyvalueTarget target;
[[maybe_unused]] const bool known = (add_target(target), true);

}  // namespace
}  // namespace esox
