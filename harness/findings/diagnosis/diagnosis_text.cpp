// SPDX-License-Identifier: Apache-2.0
// A diagnosis for people.
#include <fmt/format.h>

#include "analysis/report/layout.h"
#include "harness/findings/diagnosis/diagnosis.h"
#include "harness/records/synopsis.h"

namespace esox {
namespace {

// "A: lock mutex#3, in F (at F+0x1c)".
std::string in_words(const OperationDescription& description) {
  const std::string where = place(description);
  return fmt::format("{}{}: {}{}", description.client,
                     description.role.empty() ? "" : " (" + description.role + ")",
                     description.operation, where.empty() ? "" : ", " + where);
}

// "A's 'lock mutex#3' in F".
std::string in_short(const OperationDescription& description) {
  std::string text = fmt::format("{}'s '{}'", description.client, description.operation);
  if (description.function.empty()) return text;
  if (description.function != description.site) return text + " in " + description.function;
  return text +
         (description.below.empty() ? " at " + description.site : " below " + description.below);
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

std::string counterfactual(const CriticalDescription& description) {
  const std::string whom = description.other ? in_short(*description.other)
                                             : fmt::format("what {} did then", description.at.to);
  return fmt::format("Had {} come {} {}, the outcome would have been that of {}.",
                     in_short(description.moved), description.too_late ? "before" : "after", whom,
                     description.accepted_as);
}

const char* why(const SwitchDescription& description) {
  if (description.ended) return "has ended";
  if (description.repeated) return "repeats itself";
  return description.could_go_on ? "could have gone on" : "has to wait";
}

std::string choices(const Diagnosis& diagnosis) {
  if (diagnosis.data_choices.empty()) return "Needs no data choice.\n\n";
  return wrapped(
             fmt::format("Needs data choices (docs/data-choices.md): {}.", diagnosis.data_choices),
             kReportWidth) +
         "\n";
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
  for (const SwitchDescription& description : diagnosis.switches) {
    std::string line = fmt::format("{} -> {}: {} {}", description.from, description.to,
                                   description.from, why(description));
    if (!description.ended)
      line += fmt::format(", at '{}' {}", description.at.operation, place(description.at));
    text += labelled(fmt::format("{}. ", ++number), line, kReportWidth, 2);
  }
  return text + "\n";
}

std::string pair(const CriticalDescription& description) {
  std::string text = "The critical pair\n";
  const std::string moved = in_words(description.moved);
  const std::string other = description.other
                                ? in_words(*description.other)
                                : fmt::format("{}: all that it did then", description.at.to);
  const std::string& first = description.too_late ? other : moved;
  const std::string& second = description.too_late ? moved : other;
  text += labelled("violates:  ", first, kReportWidth, 2);
  text += labelled("    then   ", second, kReportWidth, 2);
  text += labelled("accepted:  ", second, kReportWidth, 2);
  text += labelled("    then   ", first, kReportWidth, 2);
  const Confirmation& confirmation = description.confirmation;
  text += fmt::format(
      "  {}: executed again, {} of {} violated so and {} of {} were accepted as {}\n\n",
      confirmation.both_sides() ? "confirmed" : "NOT CONFIRMED", confirmation.violating,
      confirmation.times, confirmation.accepted, confirmation.times, description.accepted_as);
  return text;
}

std::string locks(const CriticalDescription& description) {
  if (description.at.held.empty())
    return fmt::format("{} held no mutex and no rwlock there.\n\n", description.at.from);
  std::string text = fmt::format("Locks that {} held there\n", description.at.from);
  for (const LockDescription& lock : description.at.held) {
    text += labelled("- ", fmt::format("{}, acquired at {}", lock.name, lock.acquired_at),
                     kReportWidth, 2);
  }
  return text + "\n";
}

std::string stacks(const CriticalDescription& description) {
  std::string text;
  for (const ClientStack& stack : description.stacks) {
    text += fmt::format("Stack of {}, where both stand before their operations\n", stack.client);
    for (size_t i = 0; i < stack.frames.size(); ++i) {
      text += fmt::format("  #{} {}\n", i, stack.frames[i]);
    }
    text += "\n";
  }
  if (!description.no_stacks.empty())
    text += fmt::format("No stacks: {}.\n\n", description.no_stacks);
  return text;
}

}  // namespace

std::string diagnosis_text(const Diagnosis& diagnosis, const Finding& finding) {
  std::string text = head(finding);
  if (!diagnosis.server.empty()) {
    text += wrapped(fmt::format("On {}, not on the server that it was found on.", diagnosis.server),
                    kReportWidth) +
            "\n";
  }
  if (!diagnosis.came) {
    return text + fmt::format("The finding's schedule did not give its violation here: {}.\n",
                              diagnosis.why_not);
  }
  if (diagnosis.critical) {
    text += wrapped(sentence(diagnosis.critical->at), kReportWidth);
    text += wrapped(counterfactual(*diagnosis.critical), kReportWidth) + "\n";
    text += pair(*diagnosis.critical) + locks(*diagnosis.critical);
  } else {
    text += fmt::format("No critical switch: {}.\n\n", diagnosis.no_critical);
  }
  text += choices(diagnosis) + switches(diagnosis);
  if (diagnosis.critical) text += stacks(*diagnosis.critical);
  return text + fmt::format("It took {} executions.\n", diagnosis.executions);
}

}  // namespace esox
