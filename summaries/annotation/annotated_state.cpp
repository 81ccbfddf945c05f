// SPDX-License-Identifier: Apache-2.0
#include "summaries/annotation/annotated_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>

#include "summaries/annotation/element_digest.h"
#include "summaries/annotation/esox_summary.h"
#include "summaries/render.h"

namespace esox {
namespace {

constexpr const char* kPrefix = "annotated:";

ComponentKind kind_of(const AnnotatedComponent& component) {
  switch (component.kind) {
    case ESOX_SET:
      return ComponentKind::kSet;
    case ESOX_MAP:
      return ComponentKind::kMap;
    case ESOX_SEQUENCE:
      return ComponentKind::kSequence;
    case ESOX_CACHE:
      return ComponentKind::kCache;
    default:
      return ComponentKind::kMultiset;
  }
}

std::string quoted(const unsigned char* bytes, size_t count) {
  return quoted_bytes({reinterpret_cast<const char*>(bytes), count});
}

template <class T>
T read_at(const unsigned char* bytes) {
  T value;
  memcpy(&value, bytes, sizeof value);
  return value;
}

std::string digest_text(const unsigned char* bytes) {
  return fmt::format("{:016x}{:016x}", read_at<uint64_t>(bytes + 8), read_at<uint64_t>(bytes));
}

// An element as it was logged.
struct Encoded {
  std::string key;
  std::string value;
  auto operator<=>(const Encoded&) const = default;  // NOLINT(modernize-use-nullptr): false
};

ElementDigest digest_of_element(const Encoded& element) {
  return element_digest(element.key.data(), static_cast<uint32_t>(element.key.size()),
                        element.value.data(), static_cast<uint32_t>(element.value.size()));
}

std::string text_of(const std::string& encoded) {
  return element_text(reinterpret_cast<const unsigned char*>(encoded.data()), encoded.size());
}

// What playing one component's operations back gives.
class Playback {
 public:
  explicit Playback(const AnnotatedComponent& component) : component_(component) {}

  void play(int operation, Encoded element) {
    if (operation == ESOX_CLEAR) return clear();
    if (component_.kind == ESOX_SEQUENCE) return play_sequence(operation, std::move(element));
    uint64_t& count = counts_[element];
    if (operation == ESOX_ADD) {
      count = component_.kind == ESOX_SET ? 1 : count + 1;
    } else if (count > 0) {
      --count;
    } else {
      absent_.push_back(std::move(element));
    }
  }

  Component result() {
    Component made;
    made.name = kPrefix + std::string(component_.name);
    made.kind = kind_of(component_);
    if (component_.kind == ESOX_SEQUENCE) {
      std::vector<Element> elements;
      for (const Encoded& element : order_) elements.push_back({"", text_of(element.value)});
      list_absent(elements);
      std::string name = std::move(made.name);
      made = make_component(std::move(name), ComponentKind::kSequence, std::move(elements));
      if (made.elements.size() > kListedElements) made.elements.resize(kListedElements);
      if (only_appended_ && chain_ != component_.chain) made.unavailable = kDisagrees;
      return made;
    }
    std::vector<Element> elements = counted(made);
    list_absent(elements);
    std::ranges::sort(elements);
    if (elements.size() > kListedElements) elements.resize(kListedElements);
    made.elements = std::move(elements);
    made.digest = digest_of_lanes(component_);
    if (!digest_agrees()) made.unavailable = kDisagrees;
    return made;
  }

  static Digest digest_of_lanes(const AnnotatedComponent& component) {
    return digest_of(fmt::format("{} {} {} {}", component.kind, low_lane(component.lanes),
                                 high_lane(component.lanes), component.absent.load()));
  }

 private:
  static constexpr const char* kDisagrees =
      "its log and its digest disagree: it was annotated outside the structure's lock, or given "
      "what was there";

  void clear() {
    counts_.clear();
    order_.clear();
    absent_.clear();
    chain_ = 0;
    only_appended_ = true;
  }

  void play_sequence(int operation, Encoded element) {
    if (operation == ESOX_ADD) {
      chain_ = chained(chain_, digest_of_element(element));
      order_.push_back(std::move(element));
      return;
    }
    only_appended_ = false;
    if (operation == ESOX_PREPEND) return order_.push_front(std::move(element));
    const auto found = std::ranges::find(order_, element);
    if (found != order_.end()) {
      order_.erase(found);
    } else {
      absent_.push_back(std::move(element));
    }
  }

  // A map's keys should be unique; where the server has one twice, that is what there is to see.
  std::vector<Element> counted(Component& made) const {
    std::vector<Element> elements;
    std::map<std::string, int> of_key;
    for (const auto& [element, count] : counts_) {
      made.count += count;
      for (uint64_t i = 0; i < count; ++i) {
        std::string key = element.key.empty() ? "" : text_of(element.key);
        const int before = key.empty() ? 0 : of_key[key]++;
        if (before > 0) key += fmt::format(" (number {})", before + 1);
        elements.push_back({std::move(key), text_of(element.value)});
      }
    }
    return elements;
  }

  void list_absent(std::vector<Element>& elements) const {
    for (size_t i = 0; i < absent_.size(); ++i) {
      const Encoded& element = absent_[i];
      const bool keyed = !element.key.empty();
      std::string text = "removed though it was not there";
      if (!keyed) text += ": " + text_of(element.value);
      std::string key =
          keyed ? fmt::format("{} (removal {})", text_of(element.key), i + 1) : std::string();
      if (keyed) text += ": " + text_of(element.value);
      elements.push_back({std::move(key), std::move(text)});
    }
  }

  // Bloom filters may err within their stated rate, and then the digest is theirs.
  bool digest_agrees() const {
    if (component_.inclusion == ESOX_BLOOM) return true;
    uint64_t low = 0;
    uint64_t high = 0;
    for (const auto& [element, count] : counts_) {
      const ElementDigest digest = digest_of_element(element);
      low += count * digest.low;
      high += count * digest.high;
    }
    if (component_.inclusion == ESOX_TRUSTED) {
      for (const Encoded& element : absent_) {
        const ElementDigest digest = digest_of_element(element);
        low -= digest.low;
        high -= digest.high;
      }
    }
    return component_.lanes == lanes_of(low, high);
  }

  const AnnotatedComponent& component_;
  std::map<Encoded, uint64_t> counts_;
  std::deque<Encoded> order_;
  std::vector<Encoded> absent_;
  unsigned __int128 chain_ = 0;
  bool only_appended_ = true;
};

std::string fault_text(uint32_t faults) {
  if ((faults & kFaultElementTooLong) != 0) {
    return fmt::format("an element is longer than {} bytes; annotate fewer fields",
                       static_cast<int>(ESOX_ELEMENT_BYTES));
  }
  if ((faults & kFaultListFull) != 0) {
    return fmt::format("more than {} distinct elements; use ESOX_BLOOM", kListedSlots);
  }
  if ((faults & kFaultCounterFull) != 0) return "a counter of its Bloom filter overflowed";
  return "";
}

// Plays the log back. Returns why it cannot be used, or nothing.
std::string play_log(const SummaryRegion& region, std::vector<Playback>& playbacks) {
  const uint64_t used = region.log_used.load();
  if (used > kOperationLogBytes) return "more operations than the log holds";
  for (uint64_t at = 0; at < used;) {
    const auto* entry = reinterpret_cast<const LoggedOperation*>(region.log + at);
    const uint64_t head = entry->head.load(std::memory_order_acquire);
    const uint64_t bytes = head >> 32;
    const auto index = static_cast<size_t>(head >> 16 & 0xffff);
    const uint64_t text_bytes = uint64_t{entry->key_bytes} + entry->value_bytes;
    if (head == 0) return "a thread is still writing to it";
    if (bytes < sizeof(LoggedOperation) + text_bytes || bytes > used - at ||
        index >= playbacks.size()) {
      return "the log was overwritten by the server";
    }
    const auto* text = reinterpret_cast<const char*>(region.log + at + sizeof(LoggedOperation));
    playbacks[index].play(static_cast<int>(head >> 8 & 0xff),
                          {std::string(text, entry->key_bytes),
                           std::string(text + entry->key_bytes, entry->value_bytes)});
    at += bytes;
  }
  return "";
}

}  // namespace

std::string element_text(const unsigned char* bytes, size_t count) {
  std::string text;
  for (size_t at = 0; at < count;) {
    const auto tag = static_cast<char>(bytes[at++]);
    const size_t left = count - at;
    size_t used = 0;
    std::string field;
    if ((tag == 'u' || tag == 'i') && left >= 8) {
      used = 8;
      field = tag == 'u' ? fmt::format("{}", read_at<uint64_t>(bytes + at))
                         : fmt::format("{}", read_at<int64_t>(bytes + at));
    } else if ((tag == 'b' || tag == 's') && left >= 4 &&
               left - 4 >= read_at<uint32_t>(bytes + at)) {
      const auto length = read_at<uint32_t>(bytes + at);
      used = 4 + length;
      field = quoted(bytes + at + 4, length);
    } else if ((tag == 'B' || tag == 'S') && left >= 24 + ESOX_BEGINNING_BYTES) {
      used = 24 + ESOX_BEGINNING_BYTES;
      field = fmt::format("{}... ({} bytes, {})", quoted(bytes + at + 24, ESOX_BEGINNING_BYTES),
                          read_at<uint64_t>(bytes + at), digest_text(bytes + at + 8));
    } else if (tag == 'n' && left >= 16) {
      used = 16;
      field = digest_text(bytes + at);
    } else {
      return text + (text.empty() ? "" : ", ") + "(bad) " + quoted(bytes + at - 1, left + 1);
    }
    text += (text.empty() ? "" : ", ") + field;
    at += used;
  }
  return text;
}

std::vector<Component> annotated_components(const SummaryRegion& region) {
  std::vector<Playback> playbacks;
  for (const AnnotatedComponent& component : region.components) {
    if (component.state.load() == ComponentState::kFree) break;
    playbacks.emplace_back(component);
  }
  const std::string unusable = play_log(region, playbacks);
  std::vector<Component> components;
  for (size_t i = 0; i < playbacks.size(); ++i) {
    const AnnotatedComponent& annotated = region.components[i];
    if (annotated.state.load() != ComponentState::kReady) continue;  // closed
    const std::string fault = fault_text(annotated.faults.load());
    if (unusable.empty() && fault.empty()) {
      components.push_back(playbacks[i].result());
      continue;
    }
    Component component =
        unavailable_component(kPrefix + std::string(annotated.name), kind_of(annotated),
                              fault.empty() ? unusable : fault);
    if (fault.empty() && annotated.kind != ESOX_SEQUENCE &&
        region.log_used.load() > kOperationLogBytes) {
      component.unavailable.clear();  // equal or not can be said, but not in what
      component.digest = Playback::digest_of_lanes(annotated);
    }
    components.push_back(std::move(component));
  }
  if (const uint32_t refused = region.refused.load(); refused > 0) {
    components.push_back(unavailable_component(
        std::string(kPrefix) + "(refused)", ComponentKind::kSet,
        fmt::format("{} components could not be opened: more than {}, a bad name, or a name in use "
                    "for another kind",
                    refused, kMaxAnnotatedComponents)));
  }
  return components;
}

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
