// The files that results are written to: every failure is thrown with the path and the reason, and a
// file that is written as a whole gets its final name only when it is complete.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string_view>

namespace trammel::results {

// A file cannot be written: the path and the reason.
struct WriteError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A file open for writing, unbuffered; one writer at a time. Errors are WriteError.
class OutputFile {
 public:
  // Creates or empties the file; refuses one that another OutputFile is writing, leaving it as it is.
  explicit OutputFile(const std::filesystem::path& path) : OutputFile(path, path) {}
  // The same, calling it `shown` in what is thrown.
  OutputFile(const std::filesystem::path& path, std::filesystem::path shown);
  // Goes on with a file of `size` bytes after its first `kept` ones; refuses it if its size is another.
  OutputFile(const std::filesystem::path& path, std::uintmax_t size, std::uintmax_t kept);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // Hands the bytes to the operating system, from where they survive the death of this process.
  // Returns how many it took: fewer than given only on an error, whose number is then in `error`.
  std::size_t write_some(std::string_view bytes, int& error) noexcept;

  // The same, throwing unless every byte was taken.
  void write(std::string_view bytes);

  // Some file systems report a full disk only here.
  void close();

  [[noreturn]] void fail(int error) const;

 private:
  std::filesystem::path shown_;
  int descriptor_;
};

// A temporary name beside `path`, renamed to it by commit(), removed if that is never reached.
class PartialFile {
 public:
  explicit PartialFile(std::filesystem::path path);
  ~PartialFile();
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  const std::filesystem::path& path() const { return partial_; }

  // Waits until the disk has the contents, then gives the file its final name.
  void commit();

 private:
  std::filesystem::path final_;
  std::filesystem::path partial_;
};

// Under its final name when it is complete.
void write_text(const std::filesystem::path& path, std::string_view text);

}  // namespace trammel::results
