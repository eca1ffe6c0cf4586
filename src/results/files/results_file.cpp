#include "results/files/results_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace trammel::results {

namespace {

[[noreturn]] void fail_to_write(const std::filesystem::path& path, int error) {
  throw WriteError(
      fmt::format("cannot write '{}': {}", path.string(), std::generic_category().message(error)));
}

// Opens a file that no other OutputFile is writing, as it is.
int open_locked(const std::filesystem::path& path, int flags, const std::filesystem::path& shown) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | flags, 0666);
  if (descriptor < 0) fail_to_write(shown, errno);
  // File systems without locks answer with another error: there the lock is done without.
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(descriptor);
    throw WriteError(fmt::format("cannot write '{}': another run is writing it", shown.string()));
  }
  return descriptor;
}

void cut(int descriptor, std::uintmax_t kept, const std::filesystem::path& shown) {
  // EINVAL: a device or a pipe, which has nothing to empty.
  if (::ftruncate(descriptor, static_cast<off_t>(kept)) == 0 || errno == EINVAL) return;
  const int error = errno;
  ::close(descriptor);
  fail_to_write(shown, error);
}

int open_for_writing(const std::filesystem::path& path, const std::filesystem::path& shown) {
  const int descriptor = open_locked(path, O_CREAT, shown);
  cut(descriptor, 0, shown);
  return descriptor;
}

int open_to_go_on(const std::filesystem::path& path, std::uintmax_t size, std::uintmax_t kept) {
  const int descriptor = open_locked(path, O_APPEND, path);
  struct stat found {};
  if (::fstat(descriptor, &found) != 0 || static_cast<std::uintmax_t>(found.st_size) != size) {
    ::close(descriptor);
    throw WriteError(
        fmt::format("cannot write '{}': another program has changed it meanwhile", path.string()));
  }
  cut(descriptor, kept, path);
  return descriptor;
}

}  // namespace

OutputFile::OutputFile(const std::filesystem::path& path, std::filesystem::path shown)
    : shown_(std::move(shown)), descriptor_(open_for_writing(path, shown_)) {}

OutputFile::OutputFile(const std::filesystem::path& path, std::uintmax_t size, std::uintmax_t kept)
    : shown_(path), descriptor_(open_to_go_on(path, size, kept)) {}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::size_t OutputFile::write_some(std::string_view bytes, int& error) noexcept {
  std::size_t taken = 0;
  error = 0;
  while (taken < bytes.size()) {
    const ssize_t n = ::write(descriptor_, bytes.data() + taken, bytes.size() - taken);
    if (n >= 0) {
      taken += static_cast<std::size_t>(n);
    } else if (errno != EINTR) {
      error = errno;
      break;
    }
  }
  return taken;
}

void OutputFile::write(std::string_view bytes) {
  int error = 0;
  if (write_some(bytes, error) < bytes.size()) fail(error);
}

void OutputFile::close() {
  if (::close(std::exchange(descriptor_, -1)) != 0) fail(errno);
}

void OutputFile::fail(int error) const { fail_to_write(shown_, error); }

// The process number keeps two programs that write the same results apart.
PartialFile::PartialFile(std::filesystem::path path) : final_(std::move(path)), partial_(final_) {
  partial_ += fmt::format(".{}.partial", ::getpid());
}

PartialFile::~PartialFile() {
  std::error_code ignored;
  std::filesystem::remove(partial_, ignored);
}

void PartialFile::commit() {
  const int descriptor = ::open(partial_.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail_to_write(final_, errno);
  const int error = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  if (error != 0) fail_to_write(final_, error);
  if (::rename(partial_.c_str(), final_.c_str()) != 0) fail_to_write(final_, errno);
}

void write_text(const std::filesystem::path& path, std::string_view text) {
  const std::filesystem::path partial = path.string() + ".partial";
  std::ofstream file(partial);
  file << text;
  file.close();
  if (!file) throw WriteError(fmt::format("cannot write '{}'", path.string()));
  std::filesystem::rename(partial, path);
}

}  // namespace trammel::results
