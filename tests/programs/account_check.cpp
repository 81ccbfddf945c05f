// SPDX-License-Identifier: Apache-2.0
// Bug: an account is checked once a deposit and a withdrawal were made, though nothing makes the
// check come last. If it does, it takes what it finds for wrong. main does not join the threads.
//
// Depth 1: the check after both others.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include <initializer_list>

namespace {

pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
bool g_deposited = false;
bool g_withdrawn = false;

void* check(void*) {
  pthread_mutex_lock(&g_lock);
  if (g_deposited && g_withdrawn) {
    fputs("account_check: the balance is not what it should be\n", stderr);
    _exit(42);
  }
  pthread_mutex_unlock(&g_lock);
  return nullptr;
}

void* deposit(void*) {
  pthread_mutex_lock(&g_lock);
  g_deposited = true;
  pthread_mutex_unlock(&g_lock);
  return nullptr;
}

void* withdraw(void*) {
  pthread_mutex_lock(&g_lock);
  g_withdrawn = true;
  pthread_mutex_unlock(&g_lock);
  return nullptr;
}

}  // namespace

int main() {
  pthread_attr_t detached;
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  for (void* (*routine)(void*) : {check, deposit, withdraw}) {
    pthread_t thread;
    pthread_create(&thread, &detached, routine, nullptr);
  }
  pthread_exit(nullptr);
}
