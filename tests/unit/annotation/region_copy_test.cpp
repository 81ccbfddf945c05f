// SPDX-License-Identifier: Apache-2.0
// Reading the region of another process: of a fork of this one.
#include "summaries/annotation/region_copy.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "tests/unit/annotation/region_fixture.h"

namespace esox {
namespace {

// A process that ends with the object, after it has done something and said so.
class Fork {
 public:
  explicit Fork(const std::function<void()>& what) {
    int ready[2];
    EXPECT_EQ(pipe(ready), 0);
    pid_ = fork();
    if (pid_ == 0) {
      what();
      if (write(ready[1], "x", 1) == 1) pause();
      _exit(0);
    }
    close(ready[1]);
    char byte;
    EXPECT_EQ(::read(ready[0], &byte, 1), 1);
    close(ready[0]);
  }
  ~Fork() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
};

// A region where servers have it.
class RegionCopyTest : public testing::Test {
 protected:
  void make_region() {
#ifdef __SANITIZE_THREAD__  // which ends a process that maps memory there
    GTEST_SKIP() << "the address is the thread sanitizer's";
#endif
    void* mapped =
        mmap(reinterpret_cast<void*>(kRegionAddress), sizeof(SummaryRegion), PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (mapped == MAP_FAILED) GTEST_SKIP() << "the address is taken here (a sanitizer's)";
    region_ = static_cast<SummaryRegion*>(mapped);
    Recorder(*region_).sign();
  }
  ~RegionCopyTest() override {
    if (region_ != nullptr) munmap(region_, sizeof(SummaryRegion));
  }

  void add(uint64_t value) {
    Recorder recorder(*region_);
    const esox_element element = number(value);
    recorder.record(recorder.open("bag", ESOX_MULTISET, ESOX_LISTED), ESOX_ADD, nullptr, &element);
  }
  static Component bag(const RegionCopy& copy) {
    return annotated_components(copy.region()).at(0);
  }

  SummaryRegion* region_ = nullptr;
};

TEST_F(RegionCopyTest, AProcessThatRecordsNothingHasNone) {
  RegionCopy copy;
  const Fork silent([] {});
  EXPECT_EQ(copy.read(silent.pid()), RegionReading::kNone);
}

TEST_F(RegionCopyTest, AForkGoesOnWithACopyOfItsOwn) {
  make_region();
  if (region_ == nullptr) return;
  add(1);
  const Fork first([this] { add(2); });
  const Fork second([this] { add(3); });
  RegionCopy copy;
  ASSERT_EQ(copy.read(first.pid()), RegionReading::kRead);
  EXPECT_EQ(bag(copy).elements, (std::vector<Element>{{"", "1"}, {"", "2"}}));
  ASSERT_EQ(copy.read(second.pid()), RegionReading::kRead);
  EXPECT_EQ(bag(copy).elements, (std::vector<Element>{{"", "1"}, {"", "3"}}));
  ASSERT_EQ(copy.read(getpid()), RegionReading::kRead);
  EXPECT_EQ(bag(copy).elements, (std::vector<Element>{{"", "1"}}));
}

TEST_F(RegionCopyTest, ARegionOfAnotherBuildIsRefusedInWords) {
  make_region();
  if (region_ == nullptr) return;
  const Fork other([this] { region_->version = kRegionVersion + 1; });
  RegionCopy copy;
  EXPECT_EQ(copy.read(other.pid()), RegionReading::kFailed);
  EXPECT_NE(copy.why().find("build both anew"), std::string::npos);
}

TEST_F(RegionCopyTest, AProcessThatIsGoneIsSaid) {
  pid_t gone;
  {
    const Fork ended([] {});
    gone = ended.pid();
  }
  RegionCopy copy;
  EXPECT_EQ(copy.read(gone), RegionReading::kFailed);
  EXPECT_NE(copy.why().find("No such process"), std::string::npos);
}

}  // namespace
}  // namespace esox
