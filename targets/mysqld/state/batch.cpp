// SPDX-License-Identifier: Apache-2.0
#include "targets/mysqld/state/batch.h"

#include <algorithm>
#include <utility>

namespace esox {
namespace {

constexpr size_t kMaxRequestBytes = size_t{256} << 10;
constexpr uint32_t kLockWaitTimeout = 1205;

Output part_of(Output& whole, size_t index) {
  Output part;
  part.answered = true;
  part.results.push_back(std::move(whole.results[index]));
  return part;
}

Output error_of(const Output& whole) {
  Output part = whole;
  part.results.clear();
  return part;
}

}  // namespace

void QuestionBatch::add(std::string statement, Reader read, StillWanted still_wanted) {
  waiting_.push_back({std::move(statement), std::move(read), std::move(still_wanted)});
}

void QuestionBatch::run(const Ask& ask) {
  size_t done = 0;
  while (done < waiting_.size()) done = drop_unwanted(send_some(ask, done));
  waiting_.clear();
}

// Gives the place of the first statement that has no reply yet.
size_t QuestionBatch::send_some(const Ask& ask, size_t first) {
  std::string text;
  size_t last = first;
  for (; last < waiting_.size() && text.size() < kMaxRequestBytes; ++last) {
    if (!text.empty()) text += ";\n";
    text += waiting_[last].statement;
  }
  Output whole = ask(text);
  const size_t answered = std::min(whole.results.size(), last - first);
  for (size_t i = 0; i < answered; ++i) waiting_[first + i].read(part_of(whole, i));
  first += answered;
  if (first == last && whole.answered) return first;
  Output rest = error_of(whole);
  if (whole.answered && whole.error != 0) {
    // Clients that hold a lock now hold it to the end: the next question would wait in vain, too.
    if (whole.error == kLockWaitTimeout) ask("SET SESSION lock_wait_timeout=0");
    waiting_[first].read(rest);
    return first + 1;
  }
  rest.answered = false;
  if (rest.message.empty()) rest.message = "the server gave fewer results than statements";
  for (; first < waiting_.size(); ++first) waiting_[first].read(rest);
  return first;
}

size_t QuestionBatch::drop_unwanted(size_t first) {
  const auto rest = waiting_.begin() + static_cast<std::ptrdiff_t>(first);
  waiting_.erase(
      std::remove_if(rest, waiting_.end(),
                     [](const Waiting& one) { return one.still_wanted && !one.still_wanted(); }),
      waiting_.end());
  return first;
}

}  // namespace esox
