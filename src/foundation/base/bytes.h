// Numbers as bytes, in either byte order, within bounds.
//
// Every format and protocol of Belljar writes fixed-width unsigned or two's-complement numbers.
// StoreNumber() and LoadNumber() are the two conversions; they allocate nothing and throw nothing,
// and so may be used in a guest. ByteWriter appends to a string. ByteReader takes numbers and texts
// off the front of untrusted bytes: past the end everything is zero or empty, and ok() is false
// from then on, so that a decoder checks once.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace belljar {

enum class ByteOrder { kLittle, kBig };

// The lowest to.size() bytes of the number; at most 8.
constexpr void StoreNumber(ByteOrder order, std::uint64_t number, std::span<char> to) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    const std::size_t place = order == ByteOrder::kLittle ? i : to.size() - 1 - i;
    to[place] = static_cast<char>(number >> (8 * i) & 0xFFU);
  }
}

// The number that all the bytes are; at most 8.
constexpr std::uint64_t LoadNumber(ByteOrder order, std::string_view from) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const char byte = order == ByteOrder::kBig ? from[i] : from[from.size() - 1 - i];
    number = number << 8U | static_cast<unsigned char>(byte);
  }
  return number;
}

template <ByteOrder kOrder>
class ByteWriter {
 public:
  // `to` must outlive this.
  explicit ByteWriter(std::string& to) : to_(to) {}

  template <std::integral Number>
  void Put(Number number) {
    char bytes[sizeof(Number)];
    StoreNumber(kOrder, static_cast<std::uint64_t>(number), bytes);
    to_.append(bytes, sizeof(bytes));
  }
  void PutBytes(std::string_view bytes) { to_.append(bytes); }
  // Its length as a `Length`, then the text. Longer than a Length can say is the caller's mistake.
  template <std::unsigned_integral Length>
  void PutText(std::string_view text) {
    Put(static_cast<Length>(text.size()));
    PutBytes(text);
  }

 private:
  std::string& to_;
};

template <ByteOrder kOrder>
class ByteReader {
 public:
  explicit constexpr ByteReader(std::string_view bytes) : rest_(bytes) {}

  constexpr std::string_view GetBytes(std::size_t count) {
    if (count > rest_.size()) {
      ok_ = false;
      rest_ = {};
      return {};
    }
    const std::string_view bytes = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return bytes;
  }
  // A number of `width` bytes, at most 8.
  constexpr std::uint64_t GetNumber(std::size_t width) {
    return LoadNumber(kOrder, GetBytes(width));
  }
  template <std::integral Number>
  constexpr Number Get() {
    return static_cast<Number>(GetNumber(sizeof(Number)));
  }
  // A length of `width` bytes, and so many bytes.
  constexpr std::string_view GetText(std::size_t width) {
    return GetBytes(static_cast<std::size_t>(GetNumber(width)));
  }
  // A count (32 bits) of things that take at least `each` bytes: more than can fit is a fault.
  constexpr std::size_t GetCount(std::size_t each) {
    const std::size_t count = Get<std::uint32_t>();
    if (count > rest_.size() / each) ok_ = false;
    return ok_ ? count : 0;
  }
  constexpr bool ok() const { return ok_; }
  constexpr bool at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

using LittleWriter = ByteWriter<ByteOrder::kLittle>;
using LittleReader = ByteReader<ByteOrder::kLittle>;
using BigWriter = ByteWriter<ByteOrder::kBig>;
using BigReader = ByteReader<ByteOrder::kBig>;

}  // namespace belljar
