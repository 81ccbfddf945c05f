// SPDX-License-Identifier: Apache-2.0
// See table_list.h.
#include "summaries/mariadb/table_list.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "summaries/digest.h"
#include "summaries/mariadb/folder.h"

namespace esox {
namespace {

constexpr size_t kMaxAnswers = 256;
constexpr size_t kMaxDefinitionBytes = size_t{16} << 10;

}  // namespace

std::string seen_in_database(const std::filesystem::path& server_folder) {
  Folder folder(server_folder / "data" / "test");
  std::vector<std::string> names = folder.names();
  if (folder.error() != 0) return {};
  std::sort(names.begin(), names.end());
  FieldEncoder seen;
  for (const std::string& name : names) {
    seen.append(name);
    if (!name.ends_with(".frm")) continue;
    const std::optional<std::string> definition = folder.contents(name, kMaxDefinitionBytes);
    if (!definition) return {};
    seen.append(hex(digest_of(*definition)));
  }
  return seen.bytes();
}

void TableList::ask(Batch& batch, const std::function<void(const Output&)>& hear) {
  const std::string seen = server_folder_ ? seen_in_database(server_folder_()) : std::string();
  const auto known = answers_.find(seen);
  if (known != answers_.end()) return hear(known->second);
  batch.add("SHOW FULL TABLES FROM `test`", [this, seen, hear](const Output& answer) {
    hear(answer);
    if (!seen.empty() && answer.answered && answer.error == 0) keep(seen, answer);
  });
}

// Unless the folder changed while the server was asked.
void TableList::keep(const std::string& seen, const Output& answer) {
  if (seen_in_database(server_folder_()) != seen) return;
  if (answers_.size() >= kMaxAnswers) answers_.clear();
  answers_[seen] = answer;
}

}  // namespace esox
