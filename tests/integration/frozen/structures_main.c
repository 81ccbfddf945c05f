/* SPDX-License-Identifier: Apache-2.0
 * structures COMMAND NUMBER ...: carries them out, says "ready", and waits for its input's end. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "structures.h"

int main(int argc, char **argv) {
  structures_start();
  for (int i = 1; i + 1 < argc; i += 2) {
    if (!structures_do(argv[i], atoi(argv[i + 1]))) return 2;
  }
  puts("ready");
  fflush(stdout);
  char byte;
  while (read(0, &byte, 1) > 0) {
  }
  return 0;
}
