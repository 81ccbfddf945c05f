// SPDX-License-Identifier: Apache-2.0
// A diagnosis for people.
#include <fmt/format.h>

#include "analysis/report/layout.h"
#include "harness/findings/diagnosis/diagnosis.h"
#include "harness/records/brief.h"

namespace esox {
namespace {

constexpr size_t kWidth = 110;

// "A: lock mutex#3, in F (at F+0x1c)".
std::string in_words(const OperationStory& story) {
  const std::string where = place(story);
  return fmt::format("{}: {}{}", story.client, story.operation, where.empty() ? "" : ", " + where);
}

// "A's 'lock mutex#3' in F".
std::string in_short(const OperationStory& story) {
  std::string text = fmt::format("{}'s '{}'", story.client, story.operation);
  if (story.function.empty()) return text;
  if (story.function != story.site) return text + " in " + story.function;
  return text + (story.below.empty() ? " at " + story.site : " below " + story.below);
}

std::string head(const Finding& finding) {
  const std::string conditions = conditions_of(finding.input);
  std::string text =
      fmt::format("Diagnosis of finding {}: {}{}{}\n{}: {}\n", finding.id, finding.input.input.id,
                  conditions.empty() ? "" : " on ", conditions, class_name(finding.verdict),
                  class_in_words(finding.verdict, finding.latent));
  for (const std::string& line : statement_lines(finding.input.input)) text += "  " + line + "\n";
  return text + "\n";
}

std::string counterfactual(const CriticalStory& story) {
  const std::string whom =
      story.other ? in_short(*story.other) : fmt::format("what {} did then", story.at.to);
  return fmt::format("Had {} come {} {}, the outcome would have been that of {}.",
                     in_short(story.moved), story.too_late ? "before" : "after", whom,
                     story.accepted_as);
}

const char* why(const SwitchStory& story) {
  if (story.ended) return "has ended";
  if (story.repeated) return "repeats itself";
  return story.could_go_on ? "could have gone on" : "has to wait";
}

std::string switches(const Diagnosis& diagnosis) {
  std::string text = fmt::format("Switches: {} recorded, {} in the shortest schedule found",
                                 diagnosis.recorded_switches, diagnosis.fewest_switches);
  if (diagnosis.switches.size() != diagnosis.fewest_switches) {
    text += fmt::format("; {} in the one told here, next to an accepted one",
                        diagnosis.switches.size());
  }
  text += "\n";
  size_t number = 0;
  for (const SwitchStory& story : diagnosis.switches) {
    std::string line = fmt::format("{} -> {}: {} {}", story.from, story.to, story.from, why(story));
    if (!story.ended) line += fmt::format(", at '{}' {}", story.at.operation, place(story.at));
    text += labelled(fmt::format("{}. ", ++number), line, kWidth, 2);
  }
  return text + "\n";
}

std::string pair(const CriticalStory& story) {
  std::string text = "The critical pair\n";
  const std::string moved = in_words(story.moved);
  const std::string other =
      story.other ? in_words(*story.other) : fmt::format("{}: all that it did then", story.at.to);
  const std::string& first = story.too_late ? other : moved;
  const std::string& second = story.too_late ? moved : other;
  text += labelled("violates:  ", first, kWidth, 2);
  text += labelled("    then   ", second, kWidth, 2);
  text += labelled("accepted:  ", second, kWidth, 2);
  text += labelled("    then   ", first, kWidth, 2);
  const Confirmation& confirmation = story.confirmation;
  text +=
      fmt::format("  {}: executed again, {} of {} violated so and {} of {} were accepted as {}\n\n",
                  confirmation.both_sides() ? "confirmed" : "NOT CONFIRMED", confirmation.violating,
                  confirmation.times, confirmation.accepted, confirmation.times, story.accepted_as);
  return text;
}

std::string locks(const CriticalStory& story) {
  if (story.at.held.empty()) return fmt::format("{} held no lock there.\n\n", story.at.from);
  std::string text = fmt::format("Locks that {} held there\n", story.at.from);
  for (const LockStory& lock : story.at.held) {
    text +=
        labelled("- ", fmt::format("{}, acquired at {}", lock.name, lock.acquired_at), kWidth, 2);
  }
  return text + "\n";
}

std::string stacks(const CriticalStory& story) {
  std::string text;
  for (const ClientStack& stack : story.stacks) {
    text += fmt::format("Stack of {}, where both stand before their operations\n", stack.client);
    for (size_t i = 0; i < stack.frames.size(); ++i) {
      text += fmt::format("  #{} {}\n", i, stack.frames[i]);
    }
    text += "\n";
  }
  if (!story.no_stacks.empty()) text += fmt::format("No stacks: {}.\n\n", story.no_stacks);
  return text;
}

}  // namespace

std::string diagnosis_text(const Diagnosis& diagnosis, const Finding& finding) {
  std::string text = head(finding);
  if (!diagnosis.came) {
    return text + fmt::format("The finding's schedule did not give its violation here: {}.\n",
                              diagnosis.why_not);
  }
  if (diagnosis.critical) {
    text += wrapped(sentence(diagnosis.critical->at), kWidth);
    text += wrapped(counterfactual(*diagnosis.critical), kWidth) + "\n";
    text += pair(*diagnosis.critical) + locks(*diagnosis.critical);
  } else {
    text += fmt::format("No critical switch: {}.\n\n", diagnosis.no_critical);
  }
  text += switches(diagnosis);
  if (diagnosis.critical) text += stacks(*diagnosis.critical);
  return text + fmt::format("It took {} executions.\n", diagnosis.executions);
}

}  // namespace esox
