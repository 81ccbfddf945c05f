// SPDX-License-Identifier: Apache-2.0
// Bug: what read and write say is taken for what they were asked. Shows where a call moves only a
// part of it (data choice "short-io"), or is interrupted (data choice "eintr").
//
// The first argument says by what the bytes go: socket (write and read), message (sendmsg and
// recv), file (pwrite and pread); with a second one all calls are repeated until all is moved.
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

namespace {

constexpr size_t kBytes = 64;
int g_ends[2];
const char* g_way = "socket";
bool g_correct = false;

ssize_t put(const char* bytes, size_t size, size_t at) {
  if (strcmp(g_way, "file") == 0) return pwrite(g_ends[0], bytes, size, static_cast<off_t>(at));
  if (strcmp(g_way, "socket") == 0) return write(g_ends[0], bytes, size);
  iovec parts[2] = {{const_cast<char*>(bytes), size / 2},
                    {const_cast<char*>(bytes) + size / 2, size - size / 2}};
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = 2;
  return sendmsg(g_ends[0], &message, 0);
}

ssize_t get(char* bytes, size_t size, size_t at) {
  if (strcmp(g_way, "file") == 0) return pread(g_ends[0], bytes, size, static_cast<off_t>(at));
  if (strcmp(g_way, "socket") == 0) return read(g_ends[1], bytes, size);
  return recv(g_ends[1], bytes, size, 0);
}

template <class Bytes, class Call>
void move_all(Bytes* bytes, Call call) {
  for (size_t at = 0; at < kBytes;) {
    const ssize_t moved = call(bytes + at, kBytes - at, at);
    if (!g_correct) return;
    if (moved < 0 && errno == EINTR) continue;
    if (moved <= 0) abort();
    at += static_cast<size_t>(moved);
  }
}

void* send_all(void*) {
  char bytes[kBytes];
  memset(bytes, 'x', sizeof bytes);
  move_all<const char>(bytes, put);
  return nullptr;
}

bool all_there() {
  char bytes[kBytes] = {};
  move_all(bytes, get);
  for (const char byte : bytes) {
    if (byte != 'x') return false;
  }
  return true;
}

void make_ends() {
  if (strcmp(g_way, "file") != 0) {
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, g_ends) != 0) abort();
    return;
  }
  char name[] = "partial-transfer-XXXXXX";
  g_ends[0] = g_ends[1] = mkstemp(name);
  if (g_ends[0] < 0) abort();
  unlink(name);
}

}  // namespace

int main(int count, char** arguments) {
  if (count > 1) g_way = arguments[1];
  g_correct = count > 2;
  make_ends();
  pthread_t thread;
  pthread_create(&thread, nullptr, send_all, nullptr);
  pthread_join(thread, nullptr);
  if (all_there()) return 0;
  fprintf(stderr, "partial_transfer: not all came\n");
  return 42;
}
