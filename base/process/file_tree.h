// SPDX-License-Identifier: Apache-2.0
// Copying and removing whole folders, fast and without ever leaving them; writing a file of ours.
//
// The first two walk by descriptors (openat, O_NOFOLLOW), so a symbolic link, or a folder swapped
// for one while we look, leads nowhere: removal unlinks the link itself, copying refuses it.
// Removal does not enter other file systems mounted inside.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace esox {

struct TreeSize {
  uint64_t files = 0;
  uint64_t bytes = 0;  // as stat tells them, holes included
  bool operator==(const TreeSize&) const = default;
};

// Copies the folder `from` to `to`, which must not exist. Shares blocks where the file system can
// (reflinks), else copies in the kernel, leaving holes as holes. Files keep their permission bits.
// Throws ServerError (no space, no permission, something that is neither file nor folder); what was
// copied by then stays for the caller to remove.
void copy_tree(const std::filesystem::path& from, const std::filesystem::path& to);

// Removes the folder and all below. Missing is fine. Throws ServerError.
void remove_tree(const std::filesystem::path& path);

// Frees the blocks of the folder's files that hold nothing but zeros, so that copies need not carry
// them. An optimisation: what cannot be done is left undone.
void make_sparse(const std::filesystem::path& path);

// Makes the file, or replaces what is in it. Throws ServerError; then it may be half there.
void write_file(const std::filesystem::path& path, const std::string& text);

// Files below the folder and their bytes. Throws ServerError.
TreeSize tree_size(const std::filesystem::path& path);

}  // namespace esox
