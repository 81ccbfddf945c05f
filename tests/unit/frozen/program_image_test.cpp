// SPDX-License-Identifier: Apache-2.0
// What counts as a module of a process.
#include "summaries/frozen/program_image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "summaries/frozen/errors.h"

namespace esox {
namespace {

// As a server maps tc.log.
TEST(ProgramImage, AMappedFileOfDataIsNoModule) {
  std::string path = testing::TempDir() + "program-image-XXXXXX";
  const int file = mkstemp(path.data());
  ASSERT_GE(file, 0);
  ASSERT_EQ(ftruncate(file, 4096), 0);
  void* data = mmap(nullptr, 4096, PROT_READ, MAP_SHARED, file, 0);
  ASSERT_NE(data, MAP_FAILED);
  ProgramImage image = ProgramImage::of_process(getpid());
  try {
    image.meaning("nobodys", "");
    ADD_FAILURE() << "it was found";
  } catch (const FrozenError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("no variable 'nobodys'"));
  }
  munmap(data, 4096);
  close(file);
  unlink(path.c_str());
}

}  // namespace
}  // namespace esox
