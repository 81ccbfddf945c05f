// SPDX-License-Identifier: Apache-2.0
// What lies where in memory, asked of the kernel in both ways, against /proc/self/maps as the C
// library reads it.
#include "preload/snapshot/mappings.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace esox {
namespace {

constexpr size_t kPage = 4096;

std::string shown(uint64_t begin, uint64_t end, const char* access, uint64_t offset, unsigned major,
                  unsigned minor, uint64_t inode) {
  std::ostringstream line;
  line << std::hex << begin << "-" << end << " " << access << " " << offset << " " << major << ":"
       << minor << std::dec << " " << inode;
  return line.str();
}

std::vector<std::string> shown(const Mappings& mappings) {
  std::vector<std::string> lines;
  for (const Mapping& mapping : mappings) {
    const auto letter = [&](uint32_t bit, char set, char clear) {
      return (mapping.access & bit) != 0 ? set : clear;
    };
    const std::string access{
        letter(Mapping::kMayRead, 'r', '-'), letter(Mapping::kMayWrite, 'w', '-'),
        letter(Mapping::kMayExecute, 'x', '-'), letter(Mapping::kIsShared, 's', 'p')};
    lines.push_back(shown(mapping.begin, mapping.end, access.c_str(), mapping.offset,
                          static_cast<unsigned>(mapping.device >> 32),
                          static_cast<unsigned>(mapping.device), mapping.inode));
  }
  return lines;
}

// Of the lines between the two, which are of this test's own memory.
std::vector<std::string> within(const std::vector<std::string>& lines, const char* begin,
                                const char* end) {
  std::vector<std::string> own;
  for (const std::string& line : lines) {
    const uint64_t at = std::stoull(line, nullptr, 16);
    if (at >= reinterpret_cast<uint64_t>(begin) && at < reinterpret_cast<uint64_t>(end))
      own.push_back(line);
  }
  return own;
}

std::vector<std::string> lines_of_the_c_library() {
  std::vector<std::string> lines;
  FILE* file = fopen("/proc/self/maps", "re");
  char text[4096];
  while (fgets(text, sizeof text, file) != nullptr) {
    unsigned long begin, end, offset, inode;
    unsigned major, minor;
    char access[8];
    if (sscanf(text, "%lx-%lx %7s %lx %x:%x %lu", &begin, &end, access, &offset, &major, &minor,
               &inode) == 7)
      lines.push_back(shown(begin, end, access, offset, major, minor, inode));
  }
  fclose(file);
  return lines;
}

// A range with one mapping of each kind, apart from one another.
class MappingsTest : public testing::Test {
 protected:
  void SetUp() override {
    begin_ =
        static_cast<char*>(mmap(nullptr, kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(begin_, MAP_FAILED);
    file_ = memfd_create("mappings_test", MFD_CLOEXEC);
    ASSERT_EQ(ftruncate(file_, 8 * kPage), 0);
    map(1, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    map(3, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    map(5, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    map(7, PROT_READ | PROT_EXEC, MAP_PRIVATE, file_, 2 * kPage);
    map(9, PROT_READ, MAP_SHARED, file_, 5 * kPage);
    ASSERT_EQ(munmap(begin_ + 11 * kPage, kPage), 0);
  }
  void TearDown() override {
    munmap(begin_, kBytes);
    close(file_);
  }
  void map(size_t page, int protection, int flags, int file, off_t offset) {
    ASSERT_NE(mmap(begin_ + page * kPage, kPage, protection, flags | MAP_FIXED, file, offset),
              MAP_FAILED);
  }
  std::vector<std::string> own(const std::vector<std::string>& lines) const {
    return within(lines, begin_, begin_ + kBytes);
  }

  static constexpr size_t kBytes = 16 * kPage;
  char* begin_ = nullptr;
  int file_ = -1;
  std::unique_ptr<Mappings> mappings_ = std::make_unique<Mappings>();
};

TEST_F(MappingsTest, AreAsTheKernelTells) {
  const std::vector<std::string> expected = own(lines_of_the_c_library());
  ASSERT_EQ(expected.size(), 12u);
  ASSERT_TRUE(mappings_->read());
  EXPECT_EQ(own(shown(*mappings_)), expected);
}

TEST_F(MappingsTest, AreTheSameByTheText) {
  ASSERT_TRUE(mappings_->read_text());
  EXPECT_EQ(own(shown(*mappings_)), own(lines_of_the_c_library()));
}

TEST_F(MappingsTest, AreTheSameWholeInBothWays) {
  auto by_text = std::make_unique<Mappings>();
  ASSERT_TRUE(mappings_->read() && by_text->read_text());
  EXPECT_EQ(shown(*mappings_), shown(*by_text));
}

TEST_F(MappingsTest, AreNotToldIfTheyAreTooMany) {
  constexpr size_t kMany = 4096;  // each apart from its neighbours
  auto* many = static_cast<char*>(
      mmap(nullptr, kMany * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(many, MAP_FAILED);
  for (size_t page = 0; page < kMany; page += 2)
    ASSERT_EQ(mprotect(many + page * kPage, kPage, PROT_READ), 0);
  EXPECT_FALSE(mappings_->read());
  EXPECT_FALSE(mappings_->read_text());
  munmap(many, kMany * kPage);
}

}  // namespace
}  // namespace esox
