// SPDX-License-Identifier: Apache-2.0
// See digest.h. Numbers are encoded little-endian whatever the machine, so that digests kept in a
// finding mean the same everywhere.
#include "summaries/digest.h"

#include <openssl/evp.h>
#include <xxhash.h>

#include <memory>
#include <stdexcept>

namespace esox {
namespace {

void append_number(std::string& bytes, uint64_t number) {
  std::array<char, 8> eight{};
  for (size_t i = 0; i < eight.size(); ++i) {
    eight[i] = static_cast<char>((number >> (8 * i)) & 0xff);
  }
  bytes.append(eight.data(), eight.size());
}

std::string bytes_of(const Digest& digest) {
  std::string bytes;
  bytes.reserve(16);
  append_number(bytes, digest.high);
  append_number(bytes, digest.low);
  return bytes;
}

// Looked up once: EVP_sha256() is looked up by name in every call it is given to.
const EVP_MD* sha256() {
  static const EVP_MD* const kFound = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return kFound;
}

struct FreeContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

// Made once for each thread: to make one takes longer than to digest an element.
EVP_MD_CTX* context() {
  thread_local const std::unique_ptr<EVP_MD_CTX, FreeContext> kMade(EVP_MD_CTX_new());
  return kMade.get();
}

bool digest_by_sha256(std::string_view bytes, unsigned char* digest, unsigned int* length) {
  return sha256() != nullptr && context() != nullptr &&
         EVP_DigestInit_ex2(context(), sha256(), nullptr) == 1 &&
         EVP_DigestUpdate(context(), bytes.data(), bytes.size()) == 1 &&
         EVP_DigestFinal_ex(context(), digest, length) == 1;
}

}  // namespace

std::string hex(const Digest& digest) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(32);
  for (uint64_t half : {digest.high, digest.low}) {
    for (int shift = 60; shift >= 0; shift -= 4) {
      text.push_back(kDigits[(half >> shift) & 0xf]);
    }
  }
  return text;
}

Digest digest_of(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return Digest{hash.high64, hash.low64};
}

std::string short_hex(std::string_view bytes) {
  return hex(digest_of(bytes)).substr(0, 16);
}

FieldEncoder& FieldEncoder::append(std::string_view field) {
  append_number(bytes_, field.size());
  bytes_.append(field);
  return *this;
}

void BagDigest::add(const Digest& element) {
  sum_.low += element.low;
  const uint64_t carry = sum_.low < element.low ? 1 : 0;
  sum_.high += element.high + carry;
  ++count_;
}

void BagDigest::remove(const Digest& element) {
  const uint64_t borrow = sum_.low < element.low ? 1 : 0;
  sum_.low -= element.low;
  sum_.high -= element.high + borrow;
  --count_;
}

Digest BagDigest::result() const {
  std::string bytes = "bag";
  bytes += bytes_of(sum_);
  append_number(bytes, count_);
  return digest_of(bytes);
}

void SequenceDigest::add(const Digest& element) {
  std::string bytes(chain_.begin(), chain_.end());
  bytes += bytes_of(element);
  unsigned int length = 0;
  if (!digest_by_sha256(bytes, chain_.data(), &length) || length != chain_.size()) {
    throw std::runtime_error("OpenSSL gives no SHA-256: check the machine's OpenSSL configuration");
  }
  ++count_;
}

Digest SequenceDigest::result() const {
  std::string bytes = "sequence";
  bytes.append(chain_.begin(), chain_.end());
  append_number(bytes, count_);
  return digest_of(bytes);
}

}  // namespace esox
