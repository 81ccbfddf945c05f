// SPDX-License-Identifier: Apache-2.0
// The buggy programs of tests/programs as the real scheduler runs them, in the terms of
// tests/models/model.h, so that the oracles there give the exact hit probabilities.
//
// The real point rule differs from the theses' (tests/models/programs.h has that one):
//  - creating a thread is no point: main's first point is its first join, when all threads exist;
//  - a point lies just *after* an unlock: the release belongs to the step before, and the point
//    itself is an operation that changes nothing;
//  - the end of a thread is a decision, but not an operation: whoever is chosen there does its own
//    next operation. In the model, too, the step after a thread's last one is somebody else's.
// Every release is offered (release_point_odds = 1), with one enabled thread too, as in the model.
#pragma once

#include "tests/models/model.h"

namespace esox::model {

Program real_lock_order_deadlock();
Program real_two_stage_update();
Program real_lost_wakeup();
Program real_check_then_act();
Program real_late_check();
Program real_account_check();
Program real_class_lock_deadlock();
Program real_token_ring();
Program real_string_append();
Program real_lost_update();
Program real_figure_3_1();

}  // namespace esox::model
