// SPDX-License-Identifier: Apache-2.0
// From exceptions to one line and an exit status: the only place that knows all of them.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <new>

#include "analysis/finding.h"
#include "analysis/rows.h"
#include "base/process/server_error.h"
#include "base/sqlite/database.h"
#include "base/text/input_error.h"
#include "harness/commands/command.h"
#include "harness/commands/output.h"
#include "harness/engine/executor.h"
#include "harness/records/lines.h"
#include "harness/records/out_folder.h"
#include "harness/records/reports/report_error.h"

namespace esox {
namespace {

int tell(const std::string& what, int status) {
  warn(printable(what));
  return status;
}

template <class... Errors>
bool is_any(const std::exception& error) {
  return ((dynamic_cast<const Errors*>(&error) != nullptr) || ...);
}

}  // namespace

int tell_server_error(const ServerError& error, const char* log) {
  warn(printable(error.what()));
  if (!error.details().empty()) std::fputs(log, stderr);
  for (const std::string& line : lines_of(error.details())) {
    std::fputs(("  | " + printable(line) + "\n").c_str(), stderr);
  }
  return kBadInput;
}

int tell_error(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const ServerError& e) {
    return tell_server_error(e, "the end of the server's log:\n");
  } catch (const std::bad_alloc&) {
    return tell("out of memory; try fewer jobs (--jobs 1)", kEsoxFailed);
  } catch (const std::exception& e) {
    const bool explained = is_any<UsageError, InputError, SetupError, FindingError, OutError,
                                  ReportError, DatabaseError>(e);
    if (explained) return tell(e.what(), kBadInput);
    return tell(fmt::format("failed, by a fault of its own: {}", e.what()), kEsoxFailed);
  } catch (...) {
    return tell("failed, by a fault of its own", kEsoxFailed);
  }
}

}  // namespace esox
