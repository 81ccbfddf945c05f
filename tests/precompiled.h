// SPDX-License-Identifier: Apache-2.0
// What nearly every test includes, compiled once.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/precompiled.h"
