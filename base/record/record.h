// SPDX-License-Identifier: Apache-2.0
// Records: of each struct that is kept in a file one list of its fields, from which writing,
// reading and adding follow. The list stands beside the struct, as an overload of one of two
// functions:
//
//   void each_field(auto& f, Of<Counts>) {               // an object: {"executions": 7, ...}
//     f("executions", &Counts::executions, kRequired | kSum);
//     f("reasons", &Counts::reasons, kSum);
//   }
//   void each_place(auto& f, Of<Segment>) {              // a list: [0, 14]
//     f(&Segment::thread, &Segment::until);
//   }
//
// A field's value is a number, an enumeration (as its number), a string, a path (written absolute),
// true or false, a record, or a list, set, map, pair or optional of these. Maps whose keys are
// texts and whose values are numbers are objects; others are lists of the key's and the value's
// places. A name behind a field's rule is what older files call it. What else there is brings
// write_value() and read_value() of its own. A struct that has both lists is written as an object
// and read from either: its places are how older files have it.
//
// Fields that a file lacks, or that are null, keep what the struct holds, but for kRequired ones;
// fields that nobody knows are passed over. Reading throws RecordError (value.h).
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/record/value.h"

namespace esox {

template <class Record>
struct Of {};

// What holds of a field besides its name. One without a rule from kSum on stays that of the first
// record when others are added to it.
template <unsigned kBits>
struct FieldRule {
  template <unsigned kOther>
  constexpr FieldRule<kBits | kOther> operator|(FieldRule<kOther>) const {
    return {};
  }
  static constexpr bool has(auto rule) { return (kBits & rule.kOf) != 0; }
  static constexpr unsigned kOf = kBits;
};
inline constexpr FieldRule<0> kOptional;
inline constexpr FieldRule<1> kRequired;  // a file without it is not of this record
// Numbers add up, lists follow each other, records and maps do so in each of their fields.
inline constexpr FieldRule<2> kSum;
inline constexpr FieldRule<4> kMost;    // the greater; of truth values, whether any is true
inline constexpr FieldRule<8> kLeast;   // the smaller; whether all are true
inline constexpr FieldRule<16> kUnion;  // of a list: what is not in it yet is put behind it
inline constexpr FieldRule<32> kLast;   // the later, unless it is empty

namespace record {

struct Probe {};
template <class T>
concept Object = requires(Probe probe) {
  each_field(probe, Of<T>());
};
template <class T>
concept Places = requires(Probe probe) {
  each_place(probe, Of<T>());
};
template <class T>
concept Number = std::is_integral_v<T> && !std::same_as<T, bool>;
template <class T>
concept Mapping = requires {
  typename T::mapped_type;
};
template <class T>
concept Sequence = requires(T list) {
  list.begin();
}
&&!Mapping<T>;
template <class T>
concept Named = Mapping<T> && std::same_as<typename T::key_type, std::string> &&
    std::is_arithmetic_v<typename T::mapped_type>;

}  // namespace record

template <class T>
void write_value(ValueWriter& out, const T& value);
template <class T>
void read_value(const ValueReader& in, T& value);

// ---- writing

namespace record {

template <class T>
class FieldWriter {
 public:
  FieldWriter(ValueWriter& out, const T& record) : out_(out), record_(record) {}

  template <class M, class C, unsigned kRule = 0>
  void operator()(const char* name, M C::*member, FieldRule<kRule> /*rule*/ = {},
                  const char* /*before*/ = nullptr) {
    out_.key(name);
    write_value(out_, record_.*member);
  }
  // The fields of a part, among those of the whole.
  template <class M, class C>
  void inlined(M C::*member) {
    FieldWriter<M> part(out_, record_.*member);
    each_field(part, Of<M>());
  }
  // Fields that are an object of their own in the file; null unless `there` holds of the record.
  void group(const char* name, const auto& body, bool (*there)(const T&) = nullptr) {
    out_.key(name);
    if (there != nullptr && !there(record_)) return out_.null();
    out_.begin_object();
    body(*this);
    out_.end();
  }
  // What follows from other fields: written for people, never read.
  void derived(const char* name, const auto& get) {
    out_.key(name);
    write_value(out_, get(record_));
  }
  // Called with what was read; gives what is wrong with it, or nullptr.
  void check(const char* (*)(const T&)) {}

 private:
  ValueWriter& out_;
  const T& record_;
};

template <class T>
class PlaceWriter {
 public:
  PlaceWriter(ValueWriter& out, const T& record) : out_(out), record_(record) {}
  template <class... M, class... C>
  void operator()(M C::*... members) {
    (write_value(out_, record_.*members), ...);
  }
  // The places of a part, among those of the whole.
  template <class M, class C>
  void inlined(M C::*member) {
    PlaceWriter<M> part(out_, record_.*member);
    each_place(part, Of<M>());
  }

 private:
  ValueWriter& out_;
  const T& record_;
};

template <class T>
void write_places(ValueWriter& out, const T& value) {
  if constexpr (Places<T> && !Object<T>) {
    PlaceWriter<T> writer(out, value);
    each_place(writer, Of<T>());
  } else {
    write_value(out, value);
  }
}

}  // namespace record

void write_list(ValueWriter& out, const auto&... values) {
  out.begin_list();
  (record::write_places(out, values), ...);
  out.end();
}

template <class T>
void write_value(ValueWriter& out, const T& value) {
  if constexpr (std::same_as<T, bool> || std::same_as<T, double> || std::same_as<T, std::string>) {
    out.put(value);
  } else if constexpr (record::Number<T>) {
    static_assert(std::is_unsigned_v<T>);
    out.put(uint64_t{value});
  } else if constexpr (std::is_enum_v<T>) {
    out.put(static_cast<uint64_t>(value));
  } else if constexpr (std::same_as<T, std::filesystem::path>) {
    out.put(value.empty() ? std::string() : std::filesystem::absolute(value).string());
  } else if constexpr (record::Object<T>) {
    out.begin_object();
    record::FieldWriter<T> writer(out, value);
    each_field(writer, Of<T>());
    out.end();
  } else if constexpr (record::Places<T>) {
    write_list(out, value);
  } else if constexpr (record::Named<T>) {
    out.begin_object();
    for (const auto& [name, one] : value) {
      out.key(name);
      write_value(out, one);
    }
    out.end();
  } else if constexpr (record::Sequence<T> || record::Mapping<T>) {
    out.begin_list();
    for (const auto& one : value) {
      if constexpr (record::Mapping<T>) {
        write_list(out, one.first, one.second);
      } else {
        write_value(out, one);
      }
    }
    out.end();
  } else if constexpr (requires { value.has_value(); }) {
    value ? write_value(out, *value) : out.null();
  } else {  // a pair, whose halves are a value each
    out.begin_list();
    write_value(out, value.first);
    write_value(out, value.second);
    out.end();
  }
}

std::string to_json(const auto& record, int indent) {
  ValueWriter out;
  write_value(out, record);
  return out.json(indent) + "\n";
}

std::vector<uint8_t> to_cbor(const auto& record) {
  ValueWriter out;
  write_value(out, record);
  return out.cbor();
}

// ---- reading

namespace record {

template <class T>
class FieldReader {
 public:
  FieldReader(const ValueReader& in, T& record) : in_(in), record_(record) {}

  template <class M, class C, unsigned kRule = 0>
  void operator()(const char* name, M C::*member, FieldRule<kRule> rule = {},
                  const char* before = nullptr) {
    auto value = in_.find(name);
    if (!value && before != nullptr) value = in_.find(before);
    if (value) {
      read_value(*value, record_.*member);
    } else if (rule.has(kRequired)) {
      in_.refuse(std::string("has no '") + name + "'");
    }
  }
  template <class M, class C>
  void inlined(M C::*member) {
    FieldReader<M> part(in_, record_.*member);
    each_field(part, Of<M>());
  }
  void group(const char* name, const auto& body, bool (* /*there*/)(const T&) = nullptr) {
    const auto value = in_.find(name);
    if (!value) return;
    FieldReader inner(*value, record_);
    body(inner);
  }
  void derived(const char* /*name*/, const auto& /*get*/) {}
  void check(const char* (*wrong)(const T&)) {
    if (const char* what = wrong(record_)) in_.refuse(what);
  }

 private:
  const ValueReader& in_;
  T& record_;
};

// Goes through a list; places beyond the last that is asked for are passed over.
class PlaceReader {
 public:
  explicit PlaceReader(const ValueReader& list) : list_(list) {}
  void take(auto& value) {
    const ValueReader in = list_.at(at_++);
    read_value(in, value);
  }
  // The places of a part, among those of the whole.
  void take_places(auto& value);

 private:
  const ValueReader& list_;
  size_t at_ = 0;
};

template <class T>
struct PlacesOf {
  template <class... M, class... C>
  void operator()(M C::*... members) {
    (places.take(record.*members), ...);
  }
  template <class M, class C>
  void inlined(M C::*member) {
    places.take_places(record.*member);
  }

  PlaceReader& places;
  T& record;
};

template <class T>
void PlaceReader::take_places(T& value) {
  if constexpr (Places<T> && !Object<T>) {
    PlacesOf<T> reader{*this, value};
    each_place(reader, Of<T>());
  } else {
    take(value);
  }
}

template <class T>
void read_list(const ValueReader& in, T& value) {
  PlaceReader places(in);
  PlacesOf<T> reader{places, value};
  each_place(reader, Of<T>());
}

template <class T>
void read_object(const ValueReader& in, T& value) {
  if constexpr (Places<T>) {
    if (in.is_list()) return read_list(in, value);
  }
  FieldReader<T> reader(in, value);
  each_field(reader, Of<T>());
}

template <class T>
void read_sequence(const ValueReader& in, T& value) {
  value.clear();
  for (size_t i = 0; i < in.size(); ++i) {
    typename T::value_type one{};
    read_value(in.at(i), one);
    value.insert(value.end(), std::move(one));
  }
}

template <class T>
void read_mapping(const ValueReader& in, T& value) {
  value.clear();
  if constexpr (Named<T>) {
    in.each([&](const std::string& name, const ValueReader& one) { read_value(one, value[name]); });
  } else {
    for (size_t i = 0; i < in.size(); ++i) {
      const ValueReader row = in.at(i);
      PlaceReader places(row);
      typename T::key_type key{};
      places.take_places(key);
      places.take_places(value[std::move(key)]);
    }
  }
}

}  // namespace record

template <class T>
void read_value(const ValueReader& in, T& value) {
  if constexpr (std::same_as<T, bool>) {
    value = in.boolean();
  } else if constexpr (record::Number<T>) {
    value = static_cast<T>(in.number(std::numeric_limits<T>::max()));
  } else if constexpr (std::is_enum_v<T>) {
    value = static_cast<T>(in.number(UINT8_MAX));
  } else if constexpr (std::same_as<T, double>) {
    value = in.real();
  } else if constexpr (std::same_as<T, std::string> || std::same_as<T, std::filesystem::path>) {
    value = in.text();
  } else if constexpr (record::Object<T>) {
    record::read_object(in, value);
  } else if constexpr (record::Places<T>) {
    record::read_list(in, value);
  } else if constexpr (record::Mapping<T>) {
    record::read_mapping(in, value);
  } else if constexpr (requires {
                         value.max_size();
                         value.clear();
                       }) {
    record::read_sequence(in, value);
  } else if constexpr (record::Sequence<T>) {  // of a fixed length
    for (size_t i = 0; i < value.size(); ++i) read_value(in.at(i), value[i]);
  } else if constexpr (requires { value.has_value(); }) {
    value.reset();
    if (!in.is_null()) read_value(in, value.emplace());
  } else {  // a pair
    read_value(in.at(0), value.first);
    read_value(in.at(1), value.second);
  }
}

template <class T>
T from_json(const std::string& text) {
  const ValueDocument document = ValueDocument::of_json(text);
  T record;
  read_value(document.root(), record);
  return record;
}

// What the bytes lack stays what the record holds.
void read_cbor(const std::vector<uint8_t>& bytes, auto& record) {
  const ValueDocument document = ValueDocument::of_cbor(bytes);
  read_value(document.root(), record);
}

template <class T>
T from_cbor(const std::vector<uint8_t>& bytes) {
  T record;
  read_cbor(bytes, record);
  return record;
}

// ---- adding

template <class T>
void add_fields(T& all, const T& more);

// By the sum of a field; overloads for types of one's own.
template <class T>
void add_value(T& all, const T& more) {
  if constexpr (record::Object<T>) {
    add_fields(all, more);
  } else if constexpr (record::Mapping<T>) {
    for (const auto& [key, value] : more) add_value(all[key], value);
  } else if constexpr (record::Sequence<T>) {
    all.insert(all.end(), more.begin(), more.end());
  } else if constexpr (requires { all.has_value(); }) {
    if (all && more) {
      add_value(*all, *more);
    } else if (more) {
      all = more;
    }
  } else {
    all += more;
  }
}

namespace record {

template <class T>
class FieldAdder {
 public:
  FieldAdder(T& all, const T& more) : all_(all), more_(more) {}

  template <class M, class C, unsigned kRule = 0>
  void operator()(const char* /*name*/, M C::*member, FieldRule<kRule> = {},
                  const char* /*before*/ = nullptr) {
    using Rule = FieldRule<kRule>;
    M& all = all_.*member;
    const M& more = more_.*member;
    if constexpr (Rule::has(kSum)) add_value(all, more);
    if constexpr (Rule::has(kMost)) all = std::max(all, more);
    if constexpr (Rule::has(kLeast)) all = std::min(all, more);
    if constexpr (Rule::has(kUnion)) unite(all, more);
    if constexpr (Rule::has(kLast)) all = more.empty() ? all : more;
  }
  template <class M, class C>
  void inlined(M C::*member) {
    add_fields(all_.*member, more_.*member);
  }
  void group(const char* /*name*/, const auto& body, bool (* /*there*/)(const T&) = nullptr) {
    body(*this);
  }
  void derived(const char* /*name*/, const auto& /*get*/) {}
  void check(const char* (*)(const T&)) {}

 private:
  template <class M>
  static void unite(M& all, const M& more) {
    for (const auto& one : more) {
      if (std::ranges::find(all, one) == all.end()) all.push_back(one);
    }
  }

  T& all_;
  const T& more_;
};

}  // namespace record

template <class T>
void add_fields(T& all, const T& more) {
  record::FieldAdder<T> adder(all, more);
  each_field(adder, Of<T>());
}

}  // namespace esox
