// SPDX-License-Identifier: Apache-2.0
// The functions that the hooks replace: resolved at the first call, because calls arrive before our
// constructor has run.
//
// dlsym may itself call hooked functions (it takes locks in some C libraries); that is no recursion
// of ours, since hooks of an uncontrolled thread do nothing but call the real function, and the
// loader's own locks bypass the PLT (glibc 2.34+).
#pragma once

#include <dlfcn.h>

#include <atomic>

namespace esox {

// `version` is needed where the C library exports several versions of a symbol under one name
// (condition variables: GLIBC_2.3.2); RTLD_NEXT alone would give the oldest.
void* resolve_real(const char* name, const char* version);

template <class Function>
class Real;

template <class R, class... Args>
class Real<R (*)(Args...)> {
 public:
  constexpr explicit Real(const char* name, const char* version = nullptr)
      : name_(name), version_(version) {}

  R operator()(Args... args) { return get()(args...); }

  using Pointer = R (*)(Args...);
  Pointer get() {
    Pointer function = function_.load(std::memory_order_relaxed);
    if (__builtin_expect(function == nullptr, 0)) {
      function = reinterpret_cast<Pointer>(resolve_real(name_, version_));
      function_.store(function, std::memory_order_relaxed);
    }
    return function;
  }

 private:
  std::atomic<Pointer> function_{nullptr};
  const char* name_;
  const char* version_;
};

template <class R, class... Args>
class Real<R (*)(Args...) noexcept> : public Real<R (*)(Args...)> {
 public:
  using Real<R (*)(Args...)>::Real;
};

// A variadic function needs the variadic calling convention: real.get()(...).
template <class Function>
class VariadicReal {
 public:
  constexpr explicit VariadicReal(const char* name) : name_(name) {}

  Function get() {
    Function function = function_.load(std::memory_order_relaxed);
    if (__builtin_expect(function == nullptr, 0)) {
      function = reinterpret_cast<Function>(resolve_real(name_, nullptr));
      function_.store(function, std::memory_order_relaxed);
    }
    return function;
  }

 private:
  std::atomic<Function> function_{nullptr};
  const char* name_;
};

}  // namespace esox

#define ESOX_REAL(name)                                   \
  constinit ::esox::Real<decltype(&::name)> real_##name { \
#name                                                 \
  }
#define ESOX_REAL_VERSION(name, version)                  \
  constinit ::esox::Real<decltype(&::name)> real_##name { \
#name, version                                        \
  }
