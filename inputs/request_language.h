// SPDX-License-Identifier: Apache-2.0
// What may be asked about the requests of one kind of server: an interface that each target
// implements (targets/), so that nothing below knows SQL or any other language.
//
// Every answer has a default, that of a server with a plain text protocol: a request is one line of
// words, the first of which says what it does; it is one atomic step and leaves nothing in its
// session. So a new server needs to say only what is otherwise.
//
// A language is stateless, lives as long as the program and may be used by any thread. All
// functions are safe on any bytes and cautious: where a text is not understood, they give the
// answer that costs executions rather than the one that could make a verdict wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "inputs/holdings.h"

namespace esox {

struct Input;

// What a request leaves in its session that the server's state does not show.
enum class SessionEffect {
  kNone,
  kOpens,    // begins a transaction
  kCloses,   // ends one
  kChooses,  // what its session alone sees, and no request reads back (the current database)
  kLasting,  // variables, temporary tables, prepared statements, locks; or it reads such a thing
};

// A part of a text, in bytes.
struct TextSpan {
  size_t begin = 0;
  size_t end = 0;
  bool operator==(const TextSpan&) const = default;
};

// A part of a request that another of its type can take the place of.
struct ReplaceablePart {
  TextSpan span;
  std::string type;    // of the holding that it names, or "value"
  std::string of;      // what that is a part of
  std::string detail;  // of a value: its type, as of a holding
};

// A way in which a server executes one request as several, between which others may come.
struct Splitting {
  std::string_view name;                    // in rules: "tables"
  std::span<const std::string_view> kinds;  // of requests that have such parts
};

// What takes effect as one, at a moment of its own (analysis/dependency_graph.h).
enum class Promise {
  kDirtyReads,       // nothing but writes
  kStatementView,    // the plain reads of one request
  kTransactionView,  // those of one transaction; its writes do so later
  kSnapshot,         // and nobody else has written in between what it writes
  kSerial            // whole transactions
};

// What a server promises a session about others' transactions.
struct IsolationLevel {
  std::string_view name;       // in `isolation_level:` of an input
  std::string_view statement;  // that sets it, for its session
  Promise promise = Promise::kDirtyReads;
};

// What a request does to lists, registers and rows (analysis/list_history.h).
enum class ListUse {
  kUnknown,        // perhaps more than all that follows
  kNone,           // nothing
  kReads,          // in its transaction's view
  kReadsCurrent,   // what is committed now, and keeps it so: a locking read
  kAppends,        // one element, to lists as they are now
  kWrites,         // one element, to a register, whatever it held
  kChangesRow,     // the row that the element is the number of: from now on of this set, or of none
  kTakesSnapshot,  // its transaction's view is that of now
  kLetsGo,         // of what its transaction has read: others may change it from now on
  kAbandons,       // undoes its transaction
  kAbandonsPart    // undoes a part of it
};
struct ListStep {
  ListUse use = ListUse::kUnknown;
  uint64_t element = 0;
  std::string name = {};   // of the register, or of the set; empty: the row goes
  std::string table = {};  // of the row that is changed, or of the rows that are read
  // The sets all of whose rows are read; none: every row of the table.
  std::vector<std::string> sets = {};
};

// What a request does to its transaction, and whether its reply follows from the rows that were
// committed and those that its transaction wrote (analysis/statement_views.h).
enum class ViewUse {
  kUnknown,       // perhaps more than all that follows, to its session too
  kNone,          // nothing: it begins, ends, or marks a place
  kReads,         // a view of what was committed
  kTakesView,     // nothing, but its transaction's view is that of now
  kWrites,        // rows
  kAbandons,      // undoes its transaction
  kAbandonsPart,  // undoes a part of it
  kDefines        // ends it, and changes more than rows
};
struct ViewStep {
  ViewUse use = ViewUse::kUnknown;
  std::string_view unjudged;  // of one that reads: why its reply does not follow; empty: it does
  bool locks = false;         // what it reads, which a write may do, too
  bool by_rows = false;       // each row of its reply follows from one row alone
};

// One step of a request.
struct RequestPart {
  std::string text;
  std::string subject;  // the whole reply's rows that are its own begin with this; empty: all are
  bool silent = false;  // its reply is none of the request's
  bool reads = false;   // what it keeps for a later part, of which the state says nothing
};

// A request that makes a task of the server's own (an event), as if that ended early.
struct TaskCut {
  std::string request;  // to be sent in its place
  std::string body;     // what the task does, as the request ends
  std::string left;     // what it does in the other: its first steps
};

// Engines of all that a request touches, [client][request]; none, or no entry: that is not plain.
using RequestEngines = std::vector<std::vector<std::vector<std::string>>>;

// How to look whether two runs left the same content.
struct ContentView {
  std::string summary;                    // which parts of the state hold some; empty: all
  std::vector<std::string> observations;  // what else requests may have left
  std::vector<std::string> untouchable;   // what no input may change: the server's own
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
  // The same of a setup, which may hold more.
  virtual std::string setup_complaint(std::string_view text) const { return complaint(text); }
  // Whether the order counts in which the reply's rows come.
  virtual bool orders_rows(std::string_view /*text*/) const { return true; }

  // -- Telling requests apart.

  // What it does, in a word or two, in capitals: "INSERT", "CREATE TABLE", "INCR". Empty: nothing.
  virtual std::string kind(std::string_view text) const;
  // Why no request is of this kind, with the nearest one that is; empty if one is.
  virtual std::string kind_complaint(std::string_view kind) const;
  // Names of what it touches, and whatever else may be one; in lower case.
  virtual std::vector<std::string> names(std::string_view text) const;
  // The names of what it makes for others to use: of a table, in lower case.
  virtual std::vector<std::string> names_made(std::string_view /*text*/) const { return {}; }
  // All requests without what differs between inputs of one form: names and values.
  virtual std::string shape(const Input& input) const;
  // Entries of a list in it, any of which can be left out, but not all; in the text's order.
  virtual std::vector<TextSpan> removable(std::string_view /*text*/) const { return {}; }
  // Names of what the server holds, and values, in the text's order, apart from each other.
  virtual std::vector<ReplaceablePart> replaceable(std::string_view /*text*/,
                                                   const Holdings& /*holdings*/) const {
    return {};
  }
  // Changes nothing, and succeeds on a server without any data.
  virtual std::string harmless() const { return ""; }

  // -- Judging.

  // Whether the server promises to do it all at once: not what is several statements without a
  // transaction, takes several numbers or user locks one after the other, or passes over what
  // others have locked. `setup`: what else the whole input has, its setup and all requests.
  virtual bool is_one_step(std::string_view /*text*/,
                           std::span<const std::string> /*setup*/) const {
    return true;
  }
  // How requests may be split by rules, and the parts then; less than two: it cannot be split so.
  virtual std::span<const Splitting> splittings() const { return {}; }
  virtual std::vector<RequestPart> parts(std::string_view /*text*/,
                                         std::string_view /*splitting*/) const {
    return {};
  }
  // One for each step at which a task of this name may fail: with nothing done, with the first, ...
  // None: the request makes no such task, as far as that is plain.
  virtual std::vector<TaskCut> task_cuts(std::string_view /*text*/,
                                         std::string_view /*task*/) const {
    return {};
  }
  virtual SessionEffect session_effect(std::string_view /*text*/) const {
    return SessionEffect::kNone;
  }
  // Whether a server that answers with this error has undone the whole transaction, as if none of
  // it had been asked for: the request may be asked again, with all that went before it.
  virtual bool undoes_transaction(uint32_t /*error*/) const { return false; }
  // The request that undoes it, for who asks for that. Empty: there are no transactions.
  virtual std::string undoing() const { return ""; }
  // Whether a transaction that is open ends before the request begins, whatever comes of it.
  virtual bool ends_transaction_first(std::string_view /*text*/) const { return false; }
  // Whether its reply tells of the request before it, as its session remembers it.
  virtual bool tells_of_last_request(std::string_view /*text*/) const { return false; }
  virtual ListStep list_step(std::string_view /*text*/) const { return {}; }
  virtual ViewStep view_step(std::string_view /*text*/) const { return {}; }
  // Whether a session that began with it sees and logs as it would without it; what else it changes
  // is so for whoever asks on its connection, too. But for its isolation level, if `but_level`.
  virtual bool leaves_views_alone(std::string_view /*text*/, bool /*but_level*/) const {
    return false;
  }
  // Whether it does no more than begin a transaction, without a view, or mark a place in one.
  virtual bool only_begins_or_marks(std::string_view /*text*/) const { return false; }
  // Whether replies name something by a number that is made anew in each run (identities.h).
  virtual bool gives_identities(std::string_view /*text*/) const { return false; }
  // Whether it only sets what belongs to its own session: the server is at rest after it.
  virtual bool is_mere_session_setting(std::string_view /*text*/) const { return false; }
  // Whether it asks the server to end.
  virtual bool ends_server(std::string_view /*text*/) const { return false; }
  // Whether an error says no more than that something exists or does not.
  virtual bool only_of_existence(uint32_t /*error*/) const { return false; }
  virtual ContentView content_view() const { return {}; }
  // Whether it may change what only the view's observations show.
  virtual bool changes_more_than_state(std::string_view /*text*/) const { return false; }

  // -- What an input may choose.

  // Options by which an input could reach outside the server's private folder, or take the server
  // out of esox's hands: their names, without dashes before them.
  virtual std::span<const std::string_view> reserved_options() const { return {}; }
  // Engines that ${engine} may stand for: known ones, spelt as the server does, and those that are
  // tried where nobody says; both empty where the server has none.
  virtual std::span<const std::string_view> engines() const { return {}; }
  virtual std::span<const std::string_view> default_engines() const { return {}; }
  // By the input's own statements, on a server with these options.
  virtual RequestEngines touched_engines(const Input& /*input*/,
                                         std::span<const std::string> /*options*/) const {
    return {};
  }
  // An engine of the input's tables that keeps no transactions apart; empty: it is not plain that
  // one of them is of such.
  virtual std::string engine_without_transactions(const Input& /*input*/) const { return ""; }
  // Levels that `isolation_level:` may name; empty where the server has none.
  virtual std::span<const IsolationLevel> isolation_levels() const { return {}; }
  // Parts of the state that `summary:` may name; empty where there is nothing to choose.
  virtual std::span<const std::string_view> summary_parts() const { return {}; }
  // Whether the input can touch the part, so that it is looked at by itself (summary_parts.h).
  virtual bool touches_part(const Input& /*input*/, std::string_view /*part*/) const {
    return true;
  }
};

// All defaults; its server has no name. What an Input is in that nobody has read.
const RequestLanguage& plain_language();

}  // namespace esox
