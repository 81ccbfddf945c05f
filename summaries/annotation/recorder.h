// SPDX-License-Identifier: Apache-2.0
// Writes annotations into a region; runs inside the server, in any of its threads.
//
// Lock-free: every loop is one that retries a compare-and-swap that another thread has just won,
// but for names: who gives one waits for who is giving one, which takes some 100 ns. No heap, no
// system calls, no calls of libc but memcpy and the like.
//
// A set's add is two steps (is it new? then add to the digest), each atomic: with concurrent calls
// on equal elements exactly one sees the element as new.
#pragma once

#include "summaries/annotation/element_digest.h"
#include "summaries/annotation/esox_summary.h"
#include "summaries/annotation/region.h"

namespace esox {

class Recorder {
 public:
  // A region of zeros, or one that an earlier recorder wrote to.
  explicit Recorder(SummaryRegion& region) : region_(region) {}

  // Of a region of zeros: says what it is.
  void sign();

  // Of a region of zeros: has the log's first pages there before they are needed, for some 50,000
  // operations, and the tables of the first components. Before anything is recorded.
  void touch();

  esox_component open(const char* name, int kind, int inclusion);
  void rename(esox_component component, const char* name);
  void close(esox_component component);
  void record(esox_component component, int operation, const esox_element* key,
              const esox_element* value);
  void digest_of_component(esox_component component, unsigned char digest[16]) const;

 private:
  AnnotatedComponent* named(const char* name);
  AnnotatedComponent* vacant();
  void close_place(AnnotatedComponent& component);
  bool include(AnnotatedComponent& component, uint32_t index, const ElementDigest& digest);
  bool exclude(AnnotatedComponent& component, uint32_t index, const ElementDigest& digest);
  bool include_listed(AnnotatedComponent& component, uint32_t index, uint64_t element);
  bool exclude_listed(AnnotatedComponent& component, uint32_t index, uint64_t element);
  bool include_bloom(AnnotatedComponent& component, uint32_t index, const ElementDigest& digest);
  bool exclude_bloom(uint32_t index, const ElementDigest& digest);
  ListedSlot* slot_of(uint32_t index, uint64_t element, bool claim);
  void clear(AnnotatedComponent& component, uint32_t index);
  void append(AnnotatedComponent& component, const ElementDigest& digest);
  void log(uint32_t index, int operation, const esox_element* key, const esox_element* value);

  SummaryRegion& region_;
};

}  // namespace esox
