// SPDX-License-Identifier: Apache-2.0
// Records with random values in all fields of their lists (base/record/record.h). Sums of any of
// them are exact: real numbers are small multiples of 1/8.
#pragma once

#include <random>
#include <string>

#include "base/record/record.h"

namespace esox {

using Random = std::mt19937_64;

template <class T>
void fill(Random& random, T& value);

inline void fill(Random& random, std::string& text) {
  static constexpr const char* kParts[] = {"", "a", "\"", "\n", "\xc3\xbc", "table/04"};
  text = kParts[random() % std::size(kParts)];
  text += kParts[random() % std::size(kParts)];
}

template <class T>
class FieldFiller {
 public:
  FieldFiller(Random& random, T& record) : random_(random), record_(record) {}
  template <class M, class C, unsigned kRule = 0>
  void operator()(const char* /*name*/, M C::*member, FieldRule<kRule> = {},
                  const char* /*before*/ = nullptr) {
    fill(random_, record_.*member);
  }
  template <class... M, class... C>
  void operator()(M C::*... members) {
    (fill(random_, record_.*members), ...);
  }
  template <class M, class C>
  void inlined(M C::*member) {
    fill(random_, record_.*member);
  }
  template <class Body>
  void group(const char* /*name*/, const Body& body, bool (* /*there*/)(const T&) = nullptr) {
    body(*this);
  }
  template <class Get>
  void derived(const char* /*name*/, const Get& /*get*/) {}
  void check(const char* (*)(const T&)) {}

 private:
  Random& random_;
  T& record_;
};

template <class T>
void fill(Random& random, T& value) {
  if constexpr (std::same_as<T, bool>) {
    value = random() % 2 == 0;
  } else if constexpr (record::Number<T>) {
    value = static_cast<T>(random() >> (random() % 64));
  } else if constexpr (std::is_enum_v<T>) {
    value = static_cast<T>(random() % 2);
  } else if constexpr (std::same_as<T, double>) {
    value = static_cast<double>(random() % (1 << 20)) / 8;
  } else if constexpr (std::same_as<T, std::filesystem::path>) {
    value = random() % 2 == 0 ? "" : "/some/folder";
  } else if constexpr (record::Object<T>) {
    FieldFiller<T> filler(random, value);
    each_field(filler, Of<T>());
  } else if constexpr (record::Places<T>) {
    FieldFiller<T> filler(random, value);
    each_place(filler, Of<T>());
  } else if constexpr (record::Mapping<T>) {
    for (uint64_t left = random() % 4; left > 0; --left) {
      typename T::key_type key{};
      fill(random, key);
      fill(random, value[key]);
    }
  } else if constexpr (requires { value.max_size(), std::tuple_size<T>::value; }) {
    for (auto& one : value) fill(random, one);
  } else if constexpr (record::Sequence<T>) {
    for (uint64_t left = random() % 4; left > 0; --left) {
      typename T::value_type one{};
      fill(random, one);
      value.insert(value.end(), one);
    }
  } else if constexpr (requires { value.has_value(); }) {
    if (random() % 2 == 0) fill(random, value.emplace());
  } else {
    fill(random, value.first);
    fill(random, value.second);
  }
}

template <class T>
T random_record(Random& random) {
  T record;
  fill(random, record);
  return record;
}

}  // namespace esox
