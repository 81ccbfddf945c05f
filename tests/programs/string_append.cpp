// SPDX-License-Identifier: Apache-2.0
// Bug: a string is appended to another one by asking its length and copying its characters, each
// under the string's mutex; a thread that erases it in between makes the length a wrong one. (The
// pattern of a known bug of Java's StringBuffer.)
//
// Depth 2: one preemption, between length and characters.
#include <pthread.h>
#include <stdio.h>
#include <string.h>

namespace {

struct Text {
  pthread_mutex_t lock;
  char characters[16];
  size_t length;
};
Text g_source = {PTHREAD_MUTEX_INITIALIZER, "pike", 4};
Text g_target = {PTHREAD_MUTEX_INITIALIZER, "", 0};
bool g_torn = false;  // by the appender; read after it was joined

size_t length_of(Text& text) {
  pthread_mutex_lock(&text.lock);
  const size_t length = text.length;
  pthread_mutex_unlock(&text.lock);
  return length;
}

bool copy_characters(Text& text, size_t length, char* to) {
  pthread_mutex_lock(&text.lock);
  const bool enough = length <= text.length;
  if (enough) memcpy(to, text.characters, length);
  pthread_mutex_unlock(&text.lock);
  return enough;
}

void* append(void*) {
  pthread_mutex_lock(&g_target.lock);
  const size_t length = length_of(g_source);
  g_torn = !copy_characters(g_source, length, g_target.characters);
  g_target.length = length;
  pthread_mutex_unlock(&g_target.lock);
  return nullptr;
}

void* erase(void*) {
  pthread_mutex_lock(&g_source.lock);
  g_source.length = 0;
  pthread_mutex_unlock(&g_source.lock);
  return nullptr;
}

}  // namespace

int main() {
  pthread_t threads[2];
  pthread_create(&threads[0], nullptr, append, nullptr);
  pthread_create(&threads[1], nullptr, erase, nullptr);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  if (!g_torn) return 0;
  fputs("string_append: characters were copied that are not there\n", stderr);
  return 42;
}
