/* SPDX-License-Identifier: Apache-2.0
 * A small server's structures, all of one set of items: a ring, a hash table, an array, a tree. */
#ifndef ESOX_TESTS_STRUCTURES_H
#define ESOX_TESTS_STRUCTURES_H

/* Does one command by one of its threads: "add N", "remove N", "forget N" (a fault: the item stays
 * in the ring), "astray N" (the item's link in its hash chain leads nowhere), "round" (the ring's
 * last item leads to its first), "spin" (a thread never rests from here on), "breed" (a thread
 * makes 200 short-lived threads, one after the other). Returns 0 for no such command. */
int structures_do(const char* command, int number);

/* Starts its threads. */
void structures_start(void);

#endif
