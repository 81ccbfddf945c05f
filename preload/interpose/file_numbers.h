// SPDX-License-Identifier: Apache-2.0
// What the kernel tells of a file besides its contents and times, the same wherever the file lies:
// on a disk or in memory, in the folder where it was made or in a copy.
//
// Inode numbers. A program tells files apart by them, so two files have two, and one file has one
// under all its names, on all ways (stat, fstat, statx, readdir), also after it was renamed. The
// number is a hash of the name under which the file was seen first; if another file has that
// already, which was renamed since, the next one that is free. They hold within an execution: at
// its beginning all are given anew, as a copied server's files have other numbers than those that
// it saw before.
//
// One device holds all files but what is named below /dev, which is as it is: InnoDB maps its log
// if that lies on the device of /dev/shm, for it takes that for persistent memory. Files in
// /dev/shm are as others: they may be the server's. Each takes the
// blocks that its size needs, as one without holes; a folder does not count its subfolders (1 link,
// as on Btrfs).
//
// Limit: kMostFiles in one execution; of more the number is the hash, and an execution that sees
// one is degraded.
#pragma once

#include <dirent.h>
#include <sys/stat.h>

#include <cstdint>

namespace esox {

void show_numbers(struct stat& status, int at, const char* path);
void show_numbers(struct stat& status, int fd);
void show_numbers(struct statx& status, int at, const char* path);
// An entry of this open folder.
void show_numbers(dirent64& entry, int folder);

// Before a name is taken away, and afterwards: the kernel may give the file's number to another.
class Removal {
 public:
  Removal(int at, const char* path);
  void done(bool removed) const;

 private:
  uint64_t file_ = 0;  // 0: it has other names
};

}  // namespace esox
