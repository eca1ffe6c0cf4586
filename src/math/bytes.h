// Numbers and text as bytes, exactly: little-endian, a double by its bits, a list after its length (u64).
//
// ByteWriter and ByteReader are called alike, so that one function lists the fields of a type for both:
//
//   template <class Bytes> void fields(Bytes& bytes, Thing& thing) { bytes(thing.size); bytes(thing.name); }
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace trammel::math {

template <class Unsigned>
void append_number(std::string& bytes, Unsigned value) {
  std::array<char, sizeof(Unsigned)> encoded{};
  for (std::size_t i = 0; i < sizeof(Unsigned); ++i) encoded[i] = static_cast<char>(value >> (8 * i));
  bytes.append(encoded.data(), encoded.size());
}

template <class Unsigned>
Unsigned number_at(std::string_view bytes, std::size_t offset) {
  Unsigned value = 0;
  for (std::size_t i = 0; i < sizeof(Unsigned); ++i)
    value |= static_cast<Unsigned>(static_cast<unsigned char>(bytes[offset + i])) << (8 * i);
  return value;
}

class ByteWriter {
 public:
  static constexpr bool kReads = false;

  void operator()(std::uint64_t x) { append_number(bytes_, x); }
  void operator()(double x) { (*this)(std::bit_cast<std::uint64_t>(x)); }
  void operator()(long x) { (*this)(static_cast<std::uint64_t>(x)); }
  void operator()(int x) { (*this)(static_cast<std::uint64_t>(x)); }
  void operator()(bool x) { bytes_.push_back(x ? 1 : 0); }
  void operator()(std::string_view x) {
    (*this)(std::uint64_t{x.size()});
    bytes_ += x;
  }
  void operator()(const std::vector<double>& x) {
    (*this)(std::uint64_t{x.size()});
    for (const double value : x) (*this)(value);
  }

  const std::string& bytes() const { return bytes_; }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Throws std::invalid_argument where the bytes end too early.
class ByteReader {
 public:
  static constexpr bool kReads = true;
  explicit ByteReader(std::string_view bytes) : left_(bytes) {}

  void operator()(std::uint64_t& x) { x = number_at<std::uint64_t>(next(8), 0); }
  void operator()(double& x) { x = std::bit_cast<double>(number()); }
  void operator()(long& x) { x = static_cast<long>(number()); }
  void operator()(int& x) { x = static_cast<int>(number()); }
  void operator()(bool& x) { x = next(1)[0] != 0; }
  void operator()(std::string& x) { x = next(number()); }
  void operator()(std::vector<double>& x) {
    const std::uint64_t size = number();
    // Looked at before memory is taken: a damaged length cannot ask for it.
    if (size > left_.size() / 8) throw_short();
    x.resize(size);
    for (double& value : x) (*this)(value);
  }

  std::uint64_t number() {
    std::uint64_t x = 0;
    (*this)(x);
    return x;
  }
  std::string_view next(std::uint64_t count) {
    if (count > left_.size()) throw_short();
    const std::string_view out = left_.substr(0, count);
    left_.remove_prefix(count);
    return out;
  }
  bool at_end() const { return left_.empty(); }

 private:
  [[noreturn]] static void throw_short() { throw std::invalid_argument("the bytes end too early"); }

  std::string_view left_;
};

}  // namespace trammel::math
