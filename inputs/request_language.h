// SPDX-License-Identifier: Apache-2.0
// What may be asked about the requests of one kind of server: an interface that each target
// implements (targets/), so that nothing below knows SQL or any other language.
//
// Every answer has a default, that of a server with a plain text protocol: a request is one line,
// one atomic step that leaves nothing in its session. So a new server needs to say only what is
// otherwise.
//
// A language is stateless, lives as long as the program and may be used by any thread. All
// functions are safe on any bytes and cautious: where a text is not understood, they give the
// answer that costs executions rather than the one that could make a verdict wrong.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace esox {

struct Input;

// What a request leaves in its session that the server's state does not show.
enum class SessionEffect {
  kNone,
  kOpens,    // begins a transaction
  kCloses,   // ends one
  kLasting,  // variables, temporary tables, prepared statements, locks; or it reads such a thing
};

// A part of a text, in bytes.
struct TextSpan {
  size_t begin = 0;
  size_t end = 0;
};

class RequestLanguage {
 public:
  virtual ~RequestLanguage() = default;

  // The server's kind: what `server:` says in an input, a rule, a hunt file.
  virtual std::string_view server() const = 0;

  // -- Reading an input.

  // As it is kept: without what means nothing at either end.
  virtual std::string trimmed(std::string_view text) const;
  // Why it may not stand in an input, with the remedy; empty if it may.
  virtual std::string complaint(std::string_view text) const;
  // Whether the reply's rows come in an order that the request asks for.
  virtual bool orders_rows(std::string_view text) const;

  // -- Telling requests apart.

  // What it does, in a word or two: "INSERT", "CREATE TABLE", "incr". Empty: nothing at all.
  virtual std::string kind(std::string_view text) const;
  // Why no request is of this kind, with the nearest one that is; empty if one is.
  virtual std::string kind_complaint(std::string_view kind) const;
  // Names of what it touches, and whatever else may be one; in lower case.
  virtual std::vector<std::string> names(std::string_view text) const;
  // The text without what differs between requests of one form: names and values.
  virtual std::string shape(std::string_view text) const;
  // Spans that can be taken away and leave a request, each with its separator: rows of a list.
  virtual std::vector<TextSpan> removable(std::string_view text) const;

  // -- Judging.

  // Whether the server does it all at once. `setup`: what was run before, of the whole input.
  virtual bool is_one_step(std::string_view text, std::span<const std::string> setup) const;
  virtual SessionEffect session_effect(std::string_view text) const;
  // Whether replies name something by a number that is made anew in each run (identities.h).
  virtual bool gives_identities(std::string_view text) const;
  // Whether it only sets what belongs to its own session: the server is at rest after it.
  virtual bool is_mere_session_setting(std::string_view text) const;
  // Whether it asks the server to end.
  virtual bool ends_server(std::string_view text) const;

  // -- What an input may choose.

  // Engines that ${engine} may stand for: known ones, spelt as the server does, and those that are
  // tried where nobody says; both empty where the server has none.
  virtual std::span<const std::string_view> engines() const;
  virtual std::span<const std::string_view> default_engines() const;
  // The engine that the input's own statements name; empty if that is not plain.
  virtual std::string named_engine(const Input& input, std::span<const std::string> options) const;
  // Parts of the state that `summary:` may name; empty where there is nothing to choose.
  virtual std::span<const std::string_view> summary_parts() const;
};

}  // namespace esox
