// SPDX-License-Identifier: Apache-2.0
// The functions that the hooks replace: resolved at the first call, because calls arrive before our
// constructor has run; all others by that constructor, for every server forked from another one
// would look up again, which costs more than what most hooks do.
//
// dlsym may itself call hooked functions (it takes locks in some C libraries); that is no recursion
// of ours, since hooks of an uncontrolled thread do nothing but call the real function, and the
// loader's own locks bypass the PLT (glibc 2.34+).
#pragma once

#include <dlfcn.h>

#include <atomic>

namespace esox {

void* resolve_real(const char* name, const char* version);
// Null where the C library lacks it.
void* find_real(const char* name, const char* version);
// All of the library; by the constructor.
void look_ahead_for_real_functions();

// What all of them have in common, whatever their type. Aligned, so that those of different files
// form one array.
class alignas(32) RealSymbol {
 public:
  constexpr RealSymbol(const char* name, const char* version) : name_(name), version_(version) {}
  void look_ahead() {
    if (function_.load(std::memory_order_relaxed) == nullptr)
      function_ = find_real(name_, version_);
  }

 protected:
  void* address() {
    void* function = function_.load(std::memory_order_relaxed);
    if (__builtin_expect(function == nullptr, 0)) {
      function = resolve();
      function_.store(function, std::memory_order_relaxed);
    }
    return function;
  }

 private:
  // Before the constructor. One that is not listed would be looked up whenever it is called first,
  // with the loader's lock held: so the first call ends the process.
  void* resolve() const;

  std::atomic<void*> function_{nullptr};
  const char* name_;
  const char* version_;
};

template <class Function>
class Real;

// `version` is needed where the C library exports several versions of a symbol under one name
// (condition variables: GLIBC_2.3.2); RTLD_NEXT alone would give the oldest.
template <class R, class... Args>
class Real<R (*)(Args...)> : public RealSymbol {
 public:
  constexpr explicit Real(const char* name, const char* version = nullptr)
      : RealSymbol(name, version) {}

  R operator()(Args... args) { return get()(args...); }

  using Pointer = R (*)(Args...);
  Pointer get() { return reinterpret_cast<Pointer>(address()); }
};

template <class R, class... Args>
class Real<R (*)(Args...) noexcept> : public Real<R (*)(Args...)> {
 public:
  using Real<R (*)(Args...)>::Real;
};

// A variadic function needs the variadic calling convention: real.get()(...).
template <class Function>
class VariadicReal : public RealSymbol {
 public:
  constexpr explicit VariadicReal(const char* name) : RealSymbol(name, nullptr) {}

  Function get() { return reinterpret_cast<Function>(address()); }
};

// Those that are declared with this lie side by side, for look_ahead().
#define ESOX_LISTED __attribute__((section("esox_real"), used))

}  // namespace esox

#define ESOX_REAL(name)                                               \
  ESOX_LISTED constinit ::esox::Real<decltype(&::name)> real_##name { \
#name                                                             \
  }
#define ESOX_REAL_VERSION(name, version)                              \
  ESOX_LISTED constinit ::esox::Real<decltype(&::name)> real_##name { \
#name, version                                                    \
  }
