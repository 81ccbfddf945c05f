// SPDX-License-Identifier: Apache-2.0
// Something is wrong with what the user wrote: in a file, or on the command line.
//
// what() is one line that says where, what, and what to do about it:
//   file.yaml:12: unknown key 'reqests' in client 'A'; did you mean 'requests'?
// It never holds control characters, whatever the file held, so it can go to a terminal as it is.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace esox {

class InputError : public std::runtime_error {
 public:
  // `line` counts from 1; 0: the error is about the whole file. An empty `file`: about no file (an
  // engine's name on the command line).
  InputError(std::string file, int line, std::string_view message);

  const std::string& file() const { return file_; }
  int line() const { return line_; }
  const std::string& message() const { return message_; }

 private:
  std::string file_;
  int line_;
  std::string message_;
};

// `text` in single quotes for a message: control characters escaped, shortened to about 60 bytes
// without breaking a UTF-8 sequence.
std::string in_quotes(std::string_view text);

}  // namespace esox
