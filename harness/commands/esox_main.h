// SPDX-License-Identifier: Apache-2.0
// The esox command, whole: for main(), and for a program that brings a target of its own, adds it
// (targets/registry.h) and is esox in everything else.
#pragma once

namespace esox {

// Gives the exit status; throws nothing.
int esox_main(int argc, char** argv);

}  // namespace esox
