/* SPDX-License-Identifier: Apache-2.0
 * Says whether anybody listens to its annotations. */
#include <esox_summary.h>
#include <stdio.h>

int main(void) {
  const esox_component items = esox_component_open("items", ESOX_MAP, ESOX_LISTED);
  esox_element key = esox_element_new();
  esox_element value = esox_element_new();
  esox_string(&key, "key");
  esox_uint(&value, 1);
  esox_map_add(items, &key, &value);
  puts(esox_recording(items) ? "on" : "off");
  return 0;
}
