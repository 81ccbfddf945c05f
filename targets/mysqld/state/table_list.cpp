// SPDX-License-Identifier: Apache-2.0
#include "targets/mysqld/state/table_list.h"

#include <algorithm>

#include "base/process/paths.h"
#include "summaries/digest.h"
#include "targets/mysqld/state/folder.h"
#include "targets/mysqld/state/replies.h"
#include "targets/sql/touched_tables.h"

namespace esox {
namespace {

constexpr const char* kStay = "as they were";
constexpr size_t kMaxAnswers = 256;
constexpr size_t kMaxDefinitionBytes = size_t{16} << 10;

}  // namespace

bool SeenDatabase::still_holds(const std::string& path,
                               const std::optional<FileStamp>& names) const {
  return path == path_ && unchanged(stamp_, names) &&
         std::ranges::all_of(definitions_, [](const Definition& one) {
           return unchanged(one.stamp, stamp_of(one.path));
         });
}

const std::string& SeenDatabase::in(const std::filesystem::path& server_folder) {
  const std::string path = server_folder.native() + "/data/" + database_;
  const std::vector<std::string>& names = names_.in(path);
  if (names_.error() == 0 && still_holds(path, names_.stamp())) return seen_;
  path_ = path;
  stamp_ = names_.stamp();
  definitions_.clear();
  seen_.clear();
  // Without files of definitions the folder does not tell what tables and views there are.
  if (!is_there(server_folder / "data/mysql/db.frm") || names_.error() != 0 ||
      !read_definitions(path, names)) {
    stamp_.reset();
    seen_.clear();
  }
  return seen_;
}

// Stamped before they are read. False if one cannot be read.
bool SeenDatabase::read_definitions(const std::string& path, std::vector<std::string> names) {
  std::ranges::sort(names);
  Folder folder(path);
  FieldEncoder seen;
  for (const std::string& name : names) {
    seen.append(name);
    if (!name.ends_with(".frm")) continue;
    std::string file = path;
    file.append("/").append(name);
    const std::optional<FileStamp> stamp = stamp_of(file);
    definitions_.push_back({std::move(file), stamp});
    const std::optional<std::string> definition = folder.contents(name, kMaxDefinitionBytes);
    if (!definition) return false;
    seen.append(hex(digest_of(*definition)));
  }
  seen_ = seen.bytes();
  return true;
}

TableList::TableList(std::string database, bool they_stay,
                     std::function<std::filesystem::path()> server_folder)
    : they_stay_(they_stay),
      server_folder_(std::move(server_folder)),
      asked_("SHOW FULL TABLES FROM " + quoted_name(database)),
      question_(asked_),
      prepared_(quoted_name("esox_tables_" + database)),
      database_(std::move(database)) {
  if (!is_plain_name(database_.name())) server_folder_ = {};  // its folder has another name
}

void TableList::begin(const Ask& own) {
  answers_.clear();
  question_ = prepare(own, prepared_, asked_);
}

void TableList::ask(QuestionBatch& batch, const std::function<void(const Output&)>& hear) {
  const std::string seen = seen_now();
  const auto known = answers_.find(seen);
  if (known != answers_.end()) return hear(known->second);
  batch.add(question_, [this, seen, hear](const Output& answer) {
    hear(answer);
    if (!seen.empty() && answer.answered && answer.error == 0) keep(seen, answer);
  });
}

std::string TableList::seen_now() {
  if (they_stay_) return kStay;
  return server_folder_ ? database_.in(server_folder_()) : std::string();
}

// Unless the folder changed while the server was asked.
void TableList::keep(const std::string& seen, const Output& answer) {
  if (seen_now() != seen) return;
  if (answers_.size() >= kMaxAnswers) answers_.clear();
  answers_[seen] = answer;
}

}  // namespace esox
