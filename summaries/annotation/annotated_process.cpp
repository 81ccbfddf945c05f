// SPDX-License-Identifier: Apache-2.0
// See annotated_process.h.
#include "summaries/annotation/annotated_process.h"

#include "summaries/annotation/annotated_state.h"

namespace esox {

std::vector<Component> AnnotatedProcess::take() {
  if (nothing_recorded_) return {};
  if (copy_ == nullptr) copy_ = std::make_unique<RegionCopy>();
  switch (copy_->read(server_())) {
    case RegionReading::kRead:
      return annotated_components(copy_->region());
    case RegionReading::kNone:
      nothing_recorded_ = true;
      return {};
    case RegionReading::kFailed:
      break;
  }
  return {unavailable_component("annotated", ComponentKind::kSet, copy_->why())};
}

}  // namespace esox
