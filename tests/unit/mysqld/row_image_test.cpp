// SPDX-License-Identifier: Apache-2.0
// Rows of a binary log: where each ends, whatever the columns' types; and that no bytes are too
// much for those who read them.
#include "targets/mysqld/row_image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "targets/mariadb/target.h"
#include "targets/mysql/target.h"
#include "targets/mysqld/row_log.h"
#include "targets/mysqld/state/log_event.h"

namespace esox {
namespace {

using testing::Eq;
using testing::Optional;

std::string bytes(std::initializer_list<int> values) {
  std::string text;
  for (const int value : values) text += static_cast<char>(value);
  return text;
}

// Of columns of these types.
std::string table_body(const std::string& types, const std::string& metadata) {
  return bytes({0, 0, 4}) + "test" + bytes({0, 1}) + "t" + bytes({0}) +
         static_cast<char>(types.size()) + types + static_cast<char>(metadata.size()) + metadata +
         std::string((types.size() + 7) / 8, '\0');
}

std::optional<size_t> bytes_of_row(const std::string& types, const std::string& metadata,
                                   const std::string& row) {
  const auto table = logged_table(table_body(types, metadata));
  return table ? row_bytes(*table, row + "rest") : std::nullopt;
}

TEST(RowImage, IsAsLongAsItsColumnsSay) {
  EXPECT_THAT(bytes_of_row(bytes({3}), "", bytes({0xfe, 1, 0, 0, 0})), Optional(Eq(5u)));
  EXPECT_THAT(bytes_of_row(bytes({3, 3}), "", bytes({0xfe, 1, 0, 0, 0})), Optional(Eq(5u)))
      << "the second is NULL";
  EXPECT_THAT(bytes_of_row(bytes({15}), bytes({20, 0}), bytes({0xfe, 2}) + "ab"), Optional(Eq(4u)));
  EXPECT_THAT(bytes_of_row(bytes({15}), bytes({0, 2}), bytes({0xfe, 2, 0}) + "ab"),
              Optional(Eq(5u)))
      << "of up to 512 bytes: two say how many";
  EXPECT_THAT(bytes_of_row(bytes({252}), bytes({3}), bytes({0xfe, 1, 0, 0}) + "x"),
              Optional(Eq(5u)));
  EXPECT_THAT(bytes_of_row(bytes({246}), bytes({9, 2}), bytes({0xfe}) + "12345"), Optional(Eq(6u)))
      << "seven digits in four bytes, two in one";
  EXPECT_THAT(bytes_of_row(bytes({18, 17, 19}), bytes({3, 0, 6}),
                           bytes({0xf8}) + std::string(7 + 4 + 6, 'x')),
              Optional(Eq(18u)));
  EXPECT_THAT(bytes_of_row(bytes({254}), bytes({247, 1}), bytes({0xfe, 1})), Optional(Eq(2u)));
  EXPECT_THAT(bytes_of_row(bytes({254}), bytes({254, 40}), bytes({0xfe, 2}) + "ab"),
              Optional(Eq(4u)));
  EXPECT_THAT(bytes_of_row(bytes({16}), bytes({3, 1}), bytes({0xfe, 0, 0})), Optional(Eq(3u)));
}

TEST(RowImage, OfATypeThatIsNotKnownIsNone) {
  EXPECT_EQ(bytes_of_row(bytes({140}), bytes({1, 0}), "anything"), std::nullopt);
  const auto table = logged_table(table_body(bytes({3}), ""));
  ASSERT_TRUE(table);
  EXPECT_EQ(table->name, "test.t");
  EXPECT_EQ(row_bytes(*table, bytes({0xfe, 1, 0})), std::nullopt) << "cut off";
}

std::string event(LogEventType type, const std::string& body) {
  const std::string size = bytes({static_cast<int>(kEventHeaderBytes + body.size()), 0, 0, 0});
  return std::string(4, '\0') + static_cast<char>(type) + bytes({1, 0, 0, 0}) + size + size +
         bytes({0, 0}) + body;
}

// Of a connection.
std::string query_event(int connection, const std::string& text) {
  return event(LogEventType::kQuery,
               static_cast<char>(connection) + std::string(7, '\0') + std::string(6, '\0') + text);
}

TEST(RowLog, OfMysqlTellsWhoseATransactionIsByItsConnection) {
  const std::string table = bytes({5, 0, 0, 0, 0, 0});
  const std::string begin =
      bytes({0xfe}) + "bin" + event(LogEventType::kFormat, std::string(40, '\0'));
  const std::string more = bytes({3, 0, 9});  // in the events' heads
  const auto unit = [&](int connection, LogEventType type, const std::string& images) {
    return query_event(connection, "BEGIN") +
           event(LogEventType::kRowsQuery, bytes({9}) + "UPDATE t SET a=2") +
           event(LogEventType::kTableMap, table + table_body(bytes({3}), "")) +
           event(type, table + bytes({1, 0}) + more + bytes({1, 0xff}) + images) +
           event(LogEventType::kXid, std::string(8, '\0'));
  };
  const std::string one = bytes({0xfe, 1, 0, 0, 0});
  const std::string two = bytes({0xfe, 2, 0, 0, 0});
  const std::string file = begin + unit(7, LogEventType::kUpdateRows2, bytes({0xff}) + one + two) +
                           event(LogEventType::kMysqlNoGtid, std::string(25, '\0')) +
                           unit(8, LogEventType::kDeleteRows2, two) +
                           query_event(9, "DROP TABLE t");
  WrittenLog written{{file}, begin.size(), false, ""};
  written.sessions = {8, 7};
  const RowLog log = MysqlTarget().row_log(written);
  ASSERT_EQ(log.units.size(), 3u);
  EXPECT_THAT(log.units[0].client, Optional(Eq(1u)));
  EXPECT_THAT(log.units[1].client, Optional(Eq(0u)));
  EXPECT_EQ(log.units[2].client, std::nullopt);
  EXPECT_FALSE(log.units[2].only_rows);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_TRUE(log.units[i].only_rows);
    ASSERT_EQ(log.units[i].statements.size(), 1u);
    EXPECT_EQ(log.units[i].statements[0].text, "UPDATE t SET a=2");
    ASSERT_EQ(log.units[i].statements[0].changes.size(), 1u);
    const RowChange& change = log.units[i].statements[0].changes[0];
    EXPECT_EQ(change.before->bytes, i == 0 ? one : two);
    EXPECT_EQ(change.after.has_value(), i == 0);
  }
}

TEST(RowLog, OfAnyBytesIsRead) {
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    std::string file(random() % 200, '\0');
    for (char& c : file) c = static_cast<char>(random() % 4 == 0 ? random() : random() % 32);
    if (file.size() > 60) {  // a format event, and the head of another
      file[8] = 15;
      file.replace(13, 4, bytes({40, 0, 0, 0}));
      file[48] = static_cast<char>(i % 3 == 0 ? 19 : i % 3 == 1 ? 162 : 30);
    }
    const RowLog log = MariadbTarget().row_log(WrittenLog{{file}, random() % 60, false, ""});
    for (const LoggedUnit& unit : log.units) {
      for (const StatementRows& statement : unit.statements) {
        for (const RowChange& change : statement.changes) {
          EXPECT_TRUE(change.before || change.after);
        }
      }
    }
  }
}

}  // namespace
}  // namespace esox
