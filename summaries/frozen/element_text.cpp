// SPDX-License-Identifier: Apache-2.0
// See element_text.h.
#include "summaries/frozen/element_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "summaries/digest.h"
#include "summaries/frozen/errors.h"
#include "summaries/render.h"

namespace esox {
namespace {

// As in esox_summary.h: longer ones are shown by their beginning, length and digest.
constexpr size_t kShownBytes = 96;
constexpr size_t kBeginningBytes = 32;
constexpr size_t kStringStep = 64;  // bytes looked at together for a NUL
constexpr const char* kUnreadable = "(unreadable)";

std::string bytes_text(const std::string& bytes) {
  if (bytes.size() <= kShownBytes) return quoted_bytes(bytes);
  return fmt::format("{}... ({} bytes, {})", quoted_bytes(bytes.substr(0, kBeginningBytes)),
                     bytes.size(), hex(digest_of(bytes)));
}

// Where bytes or a string begin: what a pointer leads to, or the place itself.
uint64_t begin_of(const Value& value, Evaluator& evaluator) {
  const Value loaded = evaluator.load(value);
  if (!loaded.in_memory) return evaluator.number(loaded);
  return evaluator.address_of(loaded);
}

std::string read_bytes(uint64_t begin, uint64_t length, Evaluator& evaluator) {
  if (evaluator.checks()) return {};  // lengths computed of zeros mean nothing
  if (length > kMostFieldBytes) {
    throw FrozenError(fmt::format("a field has {} bytes, more than {}", length, kMostFieldBytes));
  }
  std::string bytes(length, '\0');
  if (length > 0 && !evaluator.memory().read(begin, bytes.data(), length)) throw Unreadable();
  return bytes;
}

// Up to its NUL. Memory may end right behind that, so what is read never crosses a block's end.
std::string read_string(uint64_t begin, Evaluator& evaluator) {
  std::string text;
  while (text.size() <= kMostFieldBytes) {
    const uint64_t at = begin + text.size();
    std::string part(kStringStep - at % kStringStep, '\0');
    if (!evaluator.memory().read(at, part.data(), part.size())) throw Unreadable();
    const size_t end = part.find('\0');
    text += part.substr(0, end);
    if (end != std::string::npos) return text;
  }
  throw FrozenError(fmt::format("a string has no end within {} bytes", kMostFieldBytes));
}

std::string integer_text(const FieldDescription& field, const Value& value, Evaluator& evaluator) {
  const Value loaded = evaluator.load(value);
  const uint64_t number = evaluator.number(loaded);
  const auto named = field.names.find(static_cast<int64_t>(number));
  if (named != field.names.end()) return quoted_bytes(named->second);
  return loaded.is_unsigned ? fmt::format("{}", number)
                            : fmt::format("{}", static_cast<int64_t>(number));
}

// A name of the debug information, which may be anybody's file.
std::string plain_name(const std::string& name) {
  const bool plain = std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == ':';
  });
  return plain ? name : quoted_bytes(name);
}

std::string enum_text(const Value& value, Evaluator& evaluator) {
  const Value loaded = evaluator.load(value);
  if (loaded.type == nullptr || loaded.type->kind != TypeKind::kEnum) {
    throw FrozenError("a field of kind 'enum' is none; use 'integer', with 'names' if need be");
  }
  const auto number = static_cast<int64_t>(evaluator.number(loaded));
  const auto& all = loaded.type->enumerators;
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Enumerator& one) { return one.value == number; });
  return found != all.end() ? plain_name(found->name) : fmt::format("({})", number);
}

std::string text_of(const FieldDescription& field, Evaluator& evaluator) {
  const Value value = evaluator.evaluate(*field.value.expression);
  switch (field.kind) {
    case FieldKind::kInteger:
      return integer_text(field, value, evaluator);
    case FieldKind::kEnum:
      return enum_text(value, evaluator);
    case FieldKind::kReal:
      return fmt::format("{}", evaluator.real(value));
    case FieldKind::kString:
      if (!field.length) return bytes_text(read_string(begin_of(value, evaluator), evaluator));
      [[fallthrough]];
    case FieldKind::kBytes: {
      const uint64_t length = evaluator.number(evaluator.evaluate(*field.length.expression));
      return bytes_text(read_bytes(begin_of(value, evaluator), length, evaluator));
    }
  }
  return kUnreadable;
}

}  // namespace

std::string fields_text(const std::vector<FieldDescription>& fields, Evaluator& evaluator) {
  std::string text;
  for (const FieldDescription& field : fields) {
    if (!text.empty()) text += ", ";
    try {
      text += text_of(field, evaluator);
    } catch (const Unreadable&) {
      text += kUnreadable;
    } catch (const FrozenError& error) {
      throw FrozenError(fmt::format("{} (line {})", error.what(), field.value.line));
    }
  }
  return text;
}

}  // namespace esox
