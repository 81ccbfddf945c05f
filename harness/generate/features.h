// SPDX-License-Identifier: Apache-2.0
// What an execution showed, in features that can be counted over all inputs: the feedback that
// generation goes by.
//
//   pair            an operation right after one of another client on one object, by their places
//                   in the program (analysis/behaviour.h); the other order is another feature
//   pair of kinds   the same, with the kinds of the two requests
//   lock order      one lock asked for while another is held, by the places of the two
//   trouble         what could go wrong with another order of the same operations
//                   (harness/search/prediction.h)
//   error           a kind of request that ended with this error beside others
//   sensitivity     kinds of requests whose order decides about this part of what is left, or about
//                   their replies
//
// A feature is a number of 64 bits: its kind in the upper 8, below them a hash of what is the same
// in every process of one build of the server. Clients, inputs, engines and names are in none.
//
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/behaviour.h"
#include "analysis/execution_record.h"
#include "analysis/serial_run.h"
#include "harness/search/prediction.h"
#include "inputs/input.h"

namespace esox {

enum class FeatureKind : uint8_t {
  kPair,
  kPairOfKinds,
  kLockOrder,
  kTrouble,
  kError,
  kSensitivity
};
inline constexpr size_t kFeatureKinds = 6;

using Feature = uint64_t;
// Ascending, each once.
using Features = std::vector<Feature>;

const char* feature_name(FeatureKind kind);  // "pairs", "lock orders", ...

Feature make_feature(FeatureKind kind, uint64_t hash);
FeatureKind kind_of(Feature feature);
// What one that nobody has seen is worth.
double weight_of(Feature feature);

// With the requests in which it showed; of one alone, the same twice.
struct ShownFeature {
  Feature feature = 0;
  RequestId one;
  RequestId other;
};

// Of one execution that came to its end, with its meetings; as often as it showed.
std::vector<ShownFeature> features_shown(const ExecutionRecord& record, const Input& input,
                                         std::span<const Meeting> meetings);
Features features_of(std::span<const ShownFeature> shown);
// Few requests in which all of these showed.
RequestSet requests_behind(const Features& wanted, std::span<const ShownFeature> shown);
// Of several of one input, by what they predict.
Features features_of(std::span<const Prediction> predictions);
// Of the first and the last of an input's serial orders, where all requests succeed in both.
Features features_of(std::span<const SerialRun> runs, const Input& input);

double weight_of(const Features& features);
// What is in either; what is in `all` and not in `known`.
void add_features(Features& to, const Features& more);
Features features_beside(const Features& all, const Features& known);

}  // namespace esox
