/* SPDX-License-Identifier: Apache-2.0
 * esox_summary.h: tells esox what state a server holds. For C and C++.
 *
 * A server annotates its structures as named components and says what it puts into them and takes
 * out of them:
 *
 *     static esox_component items;                                   // 0: nobody listens
 *     items = esox_component_open("items", ESOX_MAP, ESOX_LISTED);   // once, early
 *     ...
 *     if (esox_recording(items)) {                                   // under the structure's lock
 *       esox_element key = esox_element_new(), value = esox_element_new();
 *       esox_bytes(&key, item->key, item->key_length);
 *       esox_uint(&value, item->flags);
 *       esox_map_add(items, &key, &value);
 *     }
 *
 * Kinds. A set counts equal elements once; a multiset as often as they were added; a map holds
 * (key, value); a cache is a map that may lack what it could hold, so that only what it holds
 * wrongly counts; a sequence keeps its order. An element is made of typed fields, put in by value:
 * a pointer or a time stamp gets in only if one says so. A component can be a field of an element.
 *
 * Cost. All calls go to weak symbols. Without libesox_summary.so in the process they are null,
 * every handle is 0, and a guarded annotation is one branch. With it, a call writes to memory
 * shared with esox: it never blocks, allocates, makes a system call or passes a scheduling point.
 * Nothing is to be linked. The code must be position independent (-fPIE or -fPIC, the default of
 * most systems), or the linker settles the weak symbols for good and the annotations stay off.
 *
 * Threads. Any thread may call at any time. Calls on one element take effect in the order of their
 * calls, so call under the lock that guards the structure, beside the change itself.
 *
 * Inclusion: how a set knows whether it holds an element already, and any kind whether what is
 * removed was there (if not, the component says so, which is then part of its state).
 *   ESOX_TRUSTED   not checked: add only what is absent, remove only what is there
 *   ESOX_LISTED    exact, for up to 32,768 distinct elements over the component's life
 *   ESOX_BLOOM     a counting Bloom filter of 32,768 blocks of 8 counters, of which an element has
 *                  4 in one block: any number of elements over time; with n at once it errs with
 *                  1 - 4p^18 + 4p^27 + 2p^30 - 4p^33 + p^35 for p = e^(-n/1179648), which is
 *                  0.1 % at 1,000, 0.5 % at 4,000 and 1.2 % at 7,500
 * A component that outgrows what it has becomes unavailable, never silently wrong. */
#ifndef ESOX_SUMMARY_H
#define ESOX_SUMMARY_H

#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint32_t esox_component; /* 0: not recording */

enum esox_kind { ESOX_SET = 1, ESOX_MULTISET = 2, ESOX_MAP = 3, ESOX_SEQUENCE = 4, ESOX_CACHE = 5 };
enum esox_inclusion { ESOX_TRUSTED = 0, ESOX_LISTED = 1, ESOX_BLOOM = 2 };
enum esox_operation { ESOX_ADD = 1, ESOX_REMOVE = 2, ESOX_CLEAR = 3, ESOX_PREPEND = 4 };

enum {
  ESOX_ELEMENT_BYTES = 248, /* of all encoded fields; more makes the component unavailable */
  ESOX_FIELD_BYTES = 96,    /* longer fields are kept as length, digest and beginning */
  ESOX_BEGINNING_BYTES = 32
};

/* Fields, each as a tag and its value, so that different lists of fields never look alike:
 *   'u' 'i'  8 bytes        'b' 's'  4 bytes of length, the bytes        'n'  a digest of 16 bytes
 *   'B' 'S'  8 bytes of length, a digest of 16, the first 32 bytes */
typedef struct esox_element {
  uint32_t used;
  uint32_t overflow;
  unsigned char bytes[ESOX_ELEMENT_BYTES];
} esox_element;

/* The library's own side. Use the inline functions below. */
#define ESOX_WEAK __attribute__((weak))
ESOX_WEAK esox_component esox_summary_open(const char* name, int kind, int inclusion);
ESOX_WEAK void esox_summary_record(esox_component component, int operation, const esox_element* key,
                                   const esox_element* value);
ESOX_WEAK void esox_summary_rename(esox_component component, const char* name);
ESOX_WEAK void esox_summary_close(esox_component component);
ESOX_WEAK void esox_summary_digest(const void* bytes, uint64_t count, unsigned char digest[16]);
ESOX_WEAK void esox_summary_component_digest(esox_component component, unsigned char digest[16]);

/* The component of this name, made if there is none yet; 0 if nobody listens, or there are already
 * 256. `name`: at most 63 bytes, and its kind and inclusion always the same. */
static inline esox_component esox_component_open(const char* name, enum esox_kind kind,
                                                 enum esox_inclusion inclusion) {
  return esox_summary_open ? esox_summary_open(name, (int)kind, (int)inclusion) : 0;
}

static inline int esox_recording(esox_component component) {
  return __builtin_expect(component != 0, 0);
}

/* Of what the server itself knows by a name, as a table: the component keeps what it holds and goes
 * on under another name. If another component has that name, that one is closed. */
static inline void esox_component_rename(esox_component component, const char* name) {
  if (esox_recording(component) && esox_summary_rename) esox_summary_rename(component, name);
}

/* There is no such structure any more: not even an empty one. Its place and name are free; handles
 * of it must not be used again. */
static inline void esox_component_close(esox_component component) {
  if (esox_recording(component) && esox_summary_close) esox_summary_close(component);
}

/* ---- Elements ---- */

static inline esox_element esox_element_new(void) {
  esox_element element;
  element.used = element.overflow = 0;
  return element;
}

static inline unsigned char* esox_room_(esox_element* element, unsigned char tag, uint32_t bytes) {
  unsigned char* at;
  if (element->used + 1 + bytes > ESOX_ELEMENT_BYTES) {
    element->overflow = 1;
    return 0;
  }
  at = element->bytes + element->used;
  *at = tag;
  element->used += 1 + bytes;
  return at + 1;
}

static inline void esox_uint(esox_element* element, uint64_t value) {
  unsigned char* at = esox_room_(element, 'u', sizeof value);
  if (at) memcpy(at, &value, sizeof value);
}

static inline void esox_int(esox_element* element, int64_t value) {
  unsigned char* at = esox_room_(element, 'i', sizeof value);
  if (at) memcpy(at, &value, sizeof value);
}

static inline void esox_field_(esox_element* element, unsigned char tag, const void* bytes,
                               uint64_t count) {
  unsigned char* at;
  if (count <= ESOX_FIELD_BYTES) {
    const uint32_t length = (uint32_t)count;
    at = esox_room_(element, tag, sizeof length + length);
    if (!at) return;
    memcpy(at, &length, sizeof length);
    if (length > 0) memcpy(at + sizeof length, bytes, length);
    return;
  }
  at = esox_room_(element, (unsigned char)(tag - 'a' + 'A'), 8 + 16 + ESOX_BEGINNING_BYTES);
  if (!at) return;
  memcpy(at, &count, 8);
  if (esox_summary_digest) esox_summary_digest(bytes, count, at + 8);
  /* Hides whose bytes they are: of a short literal a compiler may warn here, where it never comes.
   */
  __asm__("" : "+r"(bytes));
  memcpy(at + 24, bytes, ESOX_BEGINNING_BYTES);
}

static inline void esox_bytes(esox_element* element, const void* bytes, uint64_t count) {
  esox_field_(element, 'b', bytes, count);
}

static inline void esox_string(esox_element* element, const char* text) {
  esox_field_(element, 's', text, strlen(text));
}

/* What another component (no sequence) holds at this moment. */
static inline void esox_nested(esox_element* element, esox_component nested) {
  unsigned char* at = esox_room_(element, 'n', 16);
  if (!at) return;
  memset(at, 0, 16);
  if (nested != 0 && esox_summary_component_digest) esox_summary_component_digest(nested, at);
}

/* ---- Sets, multisets, sequences ---- */

/* In a sequence: at its end. */
static inline void esox_add(esox_component component, const esox_element* element) {
  if (esox_recording(component)) esox_summary_record(component, ESOX_ADD, 0, element);
}

/* At the beginning of a sequence. */
static inline void esox_prepend(esox_component component, const esox_element* element) {
  if (esox_recording(component)) esox_summary_record(component, ESOX_PREPEND, 0, element);
}

/* Of a multiset one of them; of a sequence the first such element. */
static inline void esox_remove(esox_component component, const esox_element* element) {
  if (esox_recording(component)) esox_summary_record(component, ESOX_REMOVE, 0, element);
}

/* Not for sequences. */
static inline void esox_replace(esox_component component, const esox_element* before,
                                const esox_element* after) {
  esox_remove(component, before);
  esox_add(component, after);
}

/* Not at the same time as another call on the component: hold the structure's lock. */
static inline void esox_clear(esox_component component) {
  if (esox_recording(component)) esox_summary_record(component, ESOX_CLEAR, 0, 0);
}

/* ---- Maps ---- */

static inline void esox_map_add(esox_component map, const esox_element* key,
                                const esox_element* value) {
  if (esox_recording(map)) esox_summary_record(map, ESOX_ADD, key, value);
}

static inline void esox_map_remove(esox_component map, const esox_element* key,
                                   const esox_element* value) {
  if (esox_recording(map)) esox_summary_record(map, ESOX_REMOVE, key, value);
}

static inline void esox_map_replace(esox_component map, const esox_element* key,
                                    const esox_element* before, const esox_element* after) {
  esox_map_remove(map, key, before);
  esox_map_add(map, key, after);
}

#ifdef __cplusplus
}
#endif
#endif
