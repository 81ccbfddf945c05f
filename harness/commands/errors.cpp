// SPDX-License-Identifier: Apache-2.0
// From exceptions to one line and an exit status: the only place that knows all of them.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <new>
#include <sstream>

#include "analysis/finding.h"
#include "analysis/rows.h"
#include "base/process/server_error.h"
#include "base/sqlite/database.h"
#include "base/text/input_error.h"
#include "harness/commands/command.h"
#include "harness/engine/executor.h"
#include "harness/nights/cluster/cluster_run.h"
#include "harness/records/out_folder.h"
#include "harness/records/reports/report_error.h"
#include "targets/client.h"

namespace esox {
namespace {

int tell(const std::string& what, int status) {
  std::fputs(fmt::format("esox: {}\n", printable(what)).c_str(), stderr);
  return status;
}

int tell_server_error(const ServerError& error) {
  const int status = tell(error.what(), kBadInput);
  if (error.details().empty()) return status;
  std::fputs("the end of the server's log:\n", stderr);
  std::istringstream lines(error.details());
  for (std::string line; std::getline(lines, line);) {
    std::fputs(("  | " + printable(line) + "\n").c_str(), stderr);
  }
  return status;
}

}  // namespace

int tell_error(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const UsageError& e) {
    return tell(e.what(), kBadInput);
  } catch (const InputError& e) {
    return tell(e.what(), kBadInput);
  } catch (const SetupError& e) {
    return tell(e.what(), kBadInput);
  } catch (const FindingError& e) {
    return tell(e.what(), kBadInput);
  } catch (const OutError& e) {
    return tell(e.what(), kBadInput);
  } catch (const ReportError& e) {
    return tell(e.what(), kBadInput);
  } catch (const ClusterError& e) {
    return tell(e.what(), kBadInput);
  } catch (const DatabaseError& e) {
    return tell(e.what(), kBadInput);
  } catch (const ServerError& e) {
    return tell_server_error(e);
  } catch (const std::bad_alloc&) {
    return tell("out of memory; try fewer jobs (--jobs 1)", kEsoxFailed);
  } catch (const std::exception& e) {
    return tell(fmt::format("failed, by a fault of its own: {}", e.what()), kEsoxFailed);
  } catch (...) {
    return tell("failed, by a fault of its own", kEsoxFailed);
  }
}

}  // namespace esox
