// SPDX-License-Identifier: Apache-2.0
// No bug: lists folders in all the ways there are.
//
//   directory_calls            each way lists the same
//   directory_calls sorted     and in the order of the names; but scandir, unsorted, as it likes
//
// Depth: none. A 42, or no end, is a fault of the tool.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

namespace {

constexpr const char* kFolder = "directory_calls.folder";
constexpr int kFiles = 60;
constexpr int kManyStreams = 100;

using Names = std::vector<std::string>;

int g_failed = 0;
bool g_sorted = false;

void expect(bool kept, const char* what) {
  if (kept) return;
  ++g_failed;
  fprintf(stderr, "directory_calls: %s\n", what);
}

std::string path_of(int number) {
  return std::string(kFolder) + "/" + std::to_string(number * 7919 % 1009);
}

void make_files() {
  mkdir(kFolder, 0700);
  for (int i = 0; i < kFiles; ++i) close(open(path_of(i).c_str(), O_CREAT | O_WRONLY, 0600));
}

void remove_files() {
  for (int i = 0; i < kFiles; ++i) unlink(path_of(i).c_str());
  rmdir(kFolder);
}

Names rest_of(DIR* directory) {
  Names names;
  errno = 0;
  while (const dirent* entry = readdir(directory)) names.emplace_back(entry->d_name);
  expect(errno == 0, "errno has changed at the end of a folder");
  return names;
}

Names reentrant_rest_of(DIR* directory) {
  Names names;
  dirent entry;
  dirent* found = nullptr;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  while (readdir_r(directory, &entry, &found) == 0 && found != nullptr) {
    expect(found == &entry, "readdir_r gives another entry");
    names.emplace_back(entry.d_name);
  }
#pragma GCC diagnostic pop
  return names;
}

Names of_scandir() {
  dirent** entries = nullptr;
  const int count = scandir(kFolder, &entries, nullptr, alphasort);
  Names names;
  for (int i = 0; i < count; ++i) {
    names.emplace_back(entries[i]->d_name);
    free(entries[i]);
  }
  free(entries);
  return names;
}

void list_in_all_ways() {
  DIR* directory = opendir(kFolder);
  const Names all = rest_of(directory);
  expect(all.size() == kFiles + 2, "there are other entries than were made");
  if (g_sorted) expect(std::is_sorted(all.begin(), all.end()), "the names are not in order");
  expect(rest_of(directory).empty(), "something comes after the end");
  rewinddir(directory);
  expect(rest_of(directory) == all, "rewinddir");
  rewinddir(directory);
  expect(reentrant_rest_of(directory) == all, "readdir_r");
  closedir(directory);
  directory = fdopendir(open(kFolder, O_RDONLY | O_DIRECTORY));
  expect(rest_of(directory) == all, "fdopendir");
  closedir(directory);
  Names sorted = all;
  std::sort(sorted.begin(), sorted.end());
  Names scanned = of_scandir();
  std::sort(scanned.begin(), scanned.end());
  expect(scanned == sorted, "scandir");
}

void go_back_and_forth() {
  DIR* directory = opendir(kFolder);
  const long start = telldir(directory);
  Names first;
  for (int i = 0; i < 5; ++i) first.emplace_back(readdir(directory)->d_name);
  const long middle = telldir(directory);
  const Names rest = rest_of(directory);
  expect(first.size() + rest.size() == kFiles + 2, "something is lost in the middle");
  seekdir(directory, middle);
  expect(rest_of(directory) == rest, "seekdir to the middle");
  seekdir(directory, start);
  Names all = first;
  all.insert(all.end(), rest.begin(), rest.end());
  expect(rest_of(directory) == all, "seekdir to the start");
  const dirent* none = readdir(directory);
  expect(none == nullptr, "something comes after the end");
  closedir(directory);
}

void list_while_it_changes() {
  DIR* directory = opendir(kFolder);
  for (int i = 0; i < 5; ++i) (void)readdir(directory);
  for (int i = 0; i < kFiles; ++i) unlink(path_of(i).c_str());
  rest_of(directory);  // whatever it is
  rewinddir(directory);
  expect(rest_of(directory).size() == 2, "removed files are still there after rewinddir");
  make_files();
  rewinddir(directory);
  expect(rest_of(directory).size() == kFiles + 2, "new files are not there after rewinddir");
  closedir(directory);
}

// More than anyone keeps a list of: still, each shows everything.
void list_in_many_streams() {
  DIR* streams[kManyStreams];
  for (DIR*& stream : streams) stream = opendir(kFolder);
  for (DIR* stream : streams) (void)readdir(stream);
  for (DIR* stream : streams) {
    expect(rest_of(stream).size() == kFiles + 1, "a stream among many is not whole");
  }
  for (DIR* stream : streams) closedir(stream);
}

}  // namespace

int main(int argc, char**) {
  g_sorted = argc > 1;
  expect(opendir("directory_calls.nowhere") == nullptr && errno == ENOENT, "opendir's error");
  make_files();
  list_in_all_ways();
  go_back_and_forth();
  list_while_it_changes();
  list_in_many_streams();
  list_in_all_ways();
  remove_files();
  return g_failed == 0 ? 0 : 42;
}
