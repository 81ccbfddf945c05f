// SPDX-License-Identifier: Apache-2.0
// Finding an input among those made of files, by its requests: "UPDATE t; | SELECT 1;SELECT 2;".
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "inputs/import/files_import.h"
#include "inputs/reader.h"
#include "inputs/writer.h"
#include "tests/unit/servers.h"

namespace esox {

inline std::string requests_of(const Input& input) {
  std::string text;
  for (const InputClient& client : input.clients) {
    text += text.empty() ? "" : " | ";
    for (const Request& request : client.requests) text += request.text + ";";
  }
  return text;
}

// What was made must be read again, with what each input says unchanged.
inline FilesImport read_again(FilesImport result) {
  for (const ImportedInput& one : result.inputs) {
    auto again = parse_inputs(to_yaml(one.input), "again.yaml", languages());
    EXPECT_EQ(again.size(), 1u);
    again[0].origin = one.input.origin;
    EXPECT_EQ(again[0], one.input);
  }
  return result;
}

// The one input with these requests.
inline Input find(const FilesImport& result, const std::string& requests) {
  std::string all;
  for (const ImportedInput& one : result.inputs) {
    if (requests_of(one.input) == requests) return one.input;
    all += requests_of(one.input) + "\n";
  }
  ADD_FAILURE() << "no " << requests << " among\n" << all;
  return {};
}

}  // namespace esox
