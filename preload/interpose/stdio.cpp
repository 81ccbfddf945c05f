// SPDX-License-Identifier: Apache-2.0
// Files behind the C library's buffers (FILE). The library reads and writes them by calls of its
// own that do not pass here, so the point lies before the call that may lead to one.
//
// Only for streams that were opened by name: the standard streams, memory streams and pipes have no
// points. Single characters and formatted output have none either; what they write is seen when it
// is flushed or closed.
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1  // the header's own definitions of what is defined here
#endif
#include <stdio.h>

#include "preload/interpose/file_point.h"
#include "preload/interpose/random.h"

extern "C" {
size_t __fread_chk(void*, size_t, size_t, size_t, FILE*);
char* __fgets_chk(char*, size_t, int, FILE*);
}

namespace esox {
namespace {

ESOX_REAL(fopen);
ESOX_REAL(fopen64);
ESOX_REAL(fclose);
ESOX_REAL(fread);
ESOX_REAL(__fread_chk);

void stream_point(OpKind kind, FILE* file, uint64_t site) {
  if (self() == nullptr || file == nullptr) return;
  const int fd = fileno(file);
  if (descriptor_object(fd) != 0) file_point(kind, fd, site);
}

size_t random_items(void* buffer, size_t size, size_t count) {
  fill_random(buffer, size * count);
  return size == 0 ? 0 : count;
}

FILE* opening(auto& real, const char* path, const char* mode, uint64_t site) {
  path_point(OpKind::kFileOpen, path, site);
  FILE* file = real(path, mode);
  if (file != nullptr) note_opened(fileno(file), path);
  return file;
}

}  // namespace
}  // namespace esox

using namespace esox;

ESOX_HOOK FILE* fopen(const char* path, const char* mode) {
  return opening(real_fopen, path, mode, ESOX_SITE());
}

ESOX_HOOK FILE* fopen64(const char* path, const char* mode) {
  return opening(real_fopen64, path, mode, ESOX_SITE());
}

ESOX_HOOK int fclose(FILE* file) {
  stream_point(OpKind::kFileClose, file, ESOX_SITE());
  if (const int fd = fileno(file); fd >= 0) {
    if (ControlledThread* t = self()) g_scheduler.file_closed(*t, descriptor_object(fd));
    forget_descriptor(fd);
  }
  return real_fclose(file);
}

ESOX_HOOK size_t fread(void* buffer, size_t size, size_t count, FILE* file) {
  stream_point(OpKind::kFileRead, file, ESOX_SITE());
  if (is_random_device(fileno(file))) return random_items(buffer, size, count);
  return real_fread(buffer, size, count, file);
}

ESOX_HOOK size_t __fread_chk(void* buffer, size_t room, size_t size, size_t count, FILE* file) {
  stream_point(OpKind::kFileRead, file, ESOX_SITE());
  if (size * count <= room && is_random_device(fileno(file))) {
    return random_items(buffer, size, count);
  }
  return real___fread_chk(buffer, room, size, count, file);
}

ESOX_POINT_HOOK(size_t, fwrite, (const void* buffer, size_t size, size_t count, FILE* file),
                (buffer, size, count, file), , stream_point(OpKind::kFileWrite, file, site))
ESOX_POINT_HOOK(char*, fgets, (char* line, int size, FILE* file), (line, size, file), ,
                stream_point(OpKind::kFileRead, file, site))
ESOX_POINT_HOOK(char*, __fgets_chk, (char* line, size_t room, int size, FILE* file),
                (line, room, size, file), , stream_point(OpKind::kFileRead, file, site))
ESOX_POINT_HOOK(ssize_t, getline, (char** line, size_t* size, FILE* file), (line, size, file), ,
                stream_point(OpKind::kFileRead, file, site))
ESOX_POINT_HOOK(ssize_t, getdelim, (char** line, size_t* size, int end, FILE* file),
                (line, size, end, file), , stream_point(OpKind::kFileRead, file, site))
ESOX_POINT_HOOK(ssize_t, __getdelim, (char** line, size_t* size, int end, FILE* file),
                (line, size, end, file), , stream_point(OpKind::kFileRead, file, site))
ESOX_POINT_HOOK(int, fputs, (const char* text, FILE* file), (text, file), ,
                stream_point(OpKind::kFileWrite, file, site))
ESOX_POINT_HOOK(int, fflush, (FILE * file), (file), , stream_point(OpKind::kFileWrite, file, site))
ESOX_POINT_HOOK(int, fseek, (FILE * file, long offset, int whence), (file, offset, whence), ,
                stream_point(OpKind::kFileStat, file, site))
ESOX_POINT_HOOK(int, fseeko, (FILE * file, off_t offset, int whence), (file, offset, whence), ,
                stream_point(OpKind::kFileStat, file, site))
ESOX_POINT_HOOK(int, fseeko64, (FILE * file, off64_t offset, int whence), (file, offset, whence), ,
                stream_point(OpKind::kFileStat, file, site))
