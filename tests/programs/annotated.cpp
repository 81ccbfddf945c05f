// SPDX-License-Identifier: Apache-2.0
// A program that is annotated; where nobody listens it only says so.
#include <cstdio>

#include "summaries/annotation/esox_summary.h"

int main() {
  const esox_component numbers = esox_component_open("numbers", ESOX_SET, ESOX_LISTED);
  esox_element one = esox_element_new();
  esox_uint(&one, 1);
  esox_add(numbers, &one);
  std::puts(esox_recording(numbers) ? "recording" : "nobody listens");
  return 0;
}
