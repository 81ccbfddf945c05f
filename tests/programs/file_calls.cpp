// SPDX-License-Identifier: Apache-2.0
// No bug: calls each of the less common ways to open, read, write, rename and ask about files,
// twice, and says how many calls that were.
//
// Depth: none. A 42, or no end, is a fault of the tool.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <utime.h>

#include <initializer_list>

namespace {

int g_calls = 0;
int g_failed = 0;

// Counts a call, and sees that it did what it should.
void expect(bool kept, const char* call) {
  ++g_calls;
  if (kept) return;
  ++g_failed;
  fprintf(stderr, "file_calls: %s failed\n", call);
}
#define CALL(condition) expect(condition, #condition)

void use_descriptors() {
  char name[] = "file_calls.XXXXXX";
  int fd = -1;
  CALL((fd = mkstemp(name)) >= 0);
  char other_name[] = "file_calls.XXXXXX.tmp";
  int other = -1;
  CALL((other = mkostemps(other_name, 4, O_CLOEXEC)) >= 0);
  char bytes[4] = {'a', 'b', 'c', 'd'};
  iovec part{bytes, sizeof bytes};
  CALL(pwritev2(fd, &part, 1, 0, 0) == 4);
  CALL(preadv2(fd, &part, 1, 0, 0) == 4);
  off64_t from = 0;
  CALL(copy_file_range(fd, &from, other, nullptr, 4, 0) == 4);
  off_t start = 0;
  CALL(sendfile(other, fd, &start, 4) == 4);
  const int duplicate = dup(other);
  CALL(lseek(duplicate, 0, SEEK_CUR) == 8);
  CALL(fchmod(fd, 0600) == 0);
  CALL(chmod(name, 0600) == 0);
  struct statx status {};
  CALL(statx(AT_FDCWD, other_name, 0, STATX_SIZE, &status) == 0 && status.stx_size == 8);
  CALL(renameat2(AT_FDCWD, other_name, AT_FDCWD, "file_calls.renamed", RENAME_NOREPLACE) == 0);
  CALL(linkat(AT_FDCWD, "file_calls.renamed", AT_FDCWD, "file_calls.linked", 0) == 0);
  CALL(symlinkat("file_calls.linked", AT_FDCWD, "file_calls.link") == 0);
  char target[32];
  CALL(readlinkat(AT_FDCWD, "file_calls.link", target, sizeof target) == 17);
  for (const char* path : {"file_calls.renamed", "file_calls.linked", "file_calls.link"}) {
    CALL(unlinkat(AT_FDCWD, path, 0) == 0);
  }
  CALL(unlink(name) == 0);
  close(fd);
  close(other);
  close(duplicate);
}

void use_streams() {
  FILE* file = nullptr;
  CALL((file = fopen("file_calls.stream", "w+")) != nullptr);
  CALL(fwrite("one\ntwo\n", 1, 8, file) == 8);
  CALL(fputs("three\n", file) >= 0);
  CALL(fflush(file) == 0);
  CALL(fseek(file, 0, SEEK_SET) == 0);
  char line[16];
  CALL(fgets(line, sizeof line, file) == line && strcmp(line, "one\n") == 0);
  CALL(fread(line, 1, 4, file) == 4);
  char* whole = nullptr;
  size_t size = 0;
  CALL(getdelim(&whole, &size, '\n', file) == 6);
  free(whole);
  CALL(fclose(file) == 0);
}

// A time that the server sets is the time that it sees.
void use_times() {
  const utimbuf wanted{1'000'000'000, 1'100'000'000};
  CALL(utime("file_calls.stream", &wanted) == 0);
  struct stat status {};
  CALL(stat("file_calls.stream", &status) == 0 && status.st_mtime == wanted.modtime);
  const timespec times[2] = {{1'200'000'000, 5}, {0, UTIME_OMIT}};
  CALL(utimensat(AT_FDCWD, "file_calls.stream", times, 0) == 0);
  CALL(stat("file_calls.stream", &status) == 0 && status.st_atime == times[0].tv_sec &&
       status.st_mtime == wanted.modtime);
  CALL(unlink("file_calls.stream") == 0);
}

}  // namespace

int main() {
  for (int i = 0; i < 2; ++i) {
    use_descriptors();
    use_streams();
    use_times();
  }
  printf("%d calls\n", g_calls);
  return g_failed == 0 ? 0 : 42;
}
