/* SPDX-License-Identifier: Apache-2.0
 * See structures.h. Ordinary code: nothing of esox is in it. */
#include "structures.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 3, BUCKETS = 8, SLOTS = 16, CHILDREN = 200 };

struct link {
  struct link *next, *prev;
};

enum color { RED, GREEN, BLUE = -3 };

typedef struct item {
  struct item *chain;
  struct link links;
  struct item *left, *right;
  enum color color;
  unsigned hot : 3;
  signed cold : 5;
  unsigned short length;
  union {
    uint32_t key;
    char bytes[4];
  };
  char text[];
} item_t;

static struct link ring = {&ring, &ring};
static item_t *buckets[BUCKETS];
static struct {
  int used;
  const item_t *item;
} slots[SLOTS];
static item_t *root;
static __thread volatile int own = 1;
double load = 0.5;
uint64_t matrix[2][3] = {{1, 2, 3}, {4, 5, 6}};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static char wanted[32];
static int wanted_number, wanted_of = -1, known;

static void add(int number) {
  char text[32];
  snprintf(text, sizeof text, "item %d", number);
  item_t *item = calloc(1, sizeof *item + strlen(text) + 1);
  if (item == NULL) abort();
  strcpy(item->text, text);
  item->length = (unsigned short)strlen(text);
  item->key = (uint32_t)number;
  item->color = number % 3 == 2 ? BLUE : (enum color)(number % 3);
  item->hot = (unsigned)number % 8u;
  item->cold = -(number % 8);
  item->chain = buckets[number % BUCKETS];
  buckets[number % BUCKETS] = item;
  item->links.next = &ring;
  item->links.prev = ring.prev;
  ring.prev->next = &item->links;
  ring.prev = &item->links;
  slots[number % SLOTS].used = 1;
  slots[number % SLOTS].item = item;
  item_t **place = &root;
  while (*place != NULL) place = item->key < (*place)->key ? &(*place)->left : &(*place)->right;
  *place = item;
}

static item_t **place_in_tree(int number) {
  item_t **place = &root;
  while (*place != NULL && (*place)->key != (uint32_t)number) {
    place = (uint32_t)number < (*place)->key ? &(*place)->left : &(*place)->right;
  }
  return place;
}

static void take_out_of_tree(item_t **place) {
  item_t *item = *place, *left = item->left;
  if (item->right == NULL) {
    *place = left;
    return;
  }
  *place = item->right;
  while (*place != NULL) place = &(*place)->left;
  *place = left;
}

static void take_out(int number, int out_of_ring) {
  item_t **place = &buckets[number % BUCKETS];
  while (*place != NULL && (*place)->key != (uint32_t)number) place = &(*place)->chain;
  item_t *item = *place;
  if (item == NULL) return;
  *place = item->chain;
  take_out_of_tree(place_in_tree(number));
  memset(&slots[number % SLOTS], 0, sizeof slots[0]);
  if (!out_of_ring) return;
  item->links.prev->next = item->links.next;
  item->links.next->prev = item->links.prev;
  free(item);
}

static void *spin(void *unused) {
  for (volatile unsigned long turns = 0;; ++turns) {
  }
  return unused;
}

static void *rest(void *unused) {
  usleep(200);
  return unused;
}

static void *breed(void *unused) {
  for (int i = 0; i < CHILDREN; ++i) {
    pthread_t child;
    if (pthread_create(&child, NULL, rest, NULL) == 0) pthread_detach(child);
    usleep(500);
  }
  return unused;
}

static int start(void *(*what)(void *)) {
  pthread_t thread;
  return pthread_create(&thread, NULL, what, NULL) == 0;
}

static int carry_out(const char *command, int number) {
  if (strcmp(command, "add") == 0) {
    add(number);
  } else if (strcmp(command, "remove") == 0) {
    take_out(number, 1);
  } else if (strcmp(command, "forget") == 0) {
    take_out(number, 0);
  } else if (strcmp(command, "astray") == 0) {
    (*place_in_tree(number))->chain = (item_t *)0x1234567;
  } else if (strcmp(command, "round") == 0) {
    ring.prev->next = ring.next;
  } else if (strcmp(command, "spin") == 0) {
    return start(spin);
  } else if (strcmp(command, "breed") == 0) {
    return start(breed);
  } else {
    return 0;
  }
  return 1;
}

static void *serve(void *me) {
  const int own_number = (int)(intptr_t)me;
  pthread_mutex_lock(&mutex);
  for (;;) {
    while (wanted_of != own_number) pthread_cond_wait(&changed, &mutex);
    known = carry_out(wanted, wanted_number);
    wanted_of = -1;
    own = wanted_number;
    pthread_cond_broadcast(&changed);
  }
  return NULL;
}

void structures_start(void) {
  for (intptr_t i = 0; i < THREADS; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, serve, (void *)i) != 0) abort();
  }
}

int structures_do(const char *command, int number) {
  pthread_mutex_lock(&mutex);
  snprintf(wanted, sizeof wanted, "%s", command);
  wanted_number = number;
  wanted_of = number % THREADS;
  pthread_cond_broadcast(&changed);
  while (wanted_of >= 0) pthread_cond_wait(&changed, &mutex);
  const int done = known;
  pthread_mutex_unlock(&mutex);
  return done;
}
