// Fuzz target: results logs. Any bytes are read or refused with a message. What is read has every row that
// stands before the first damage, to the bit, and nothing else; a log that is cut off has the first rows of
// the whole one.
#include "results/files/results_log.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>

#include "log_records.h"
#include "support.h"

namespace trammel::fuzz {
namespace {

// A file in memory, by a path.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : descriptor_(memfd_create("log", 0)) {
    const auto count = write(descriptor_, bytes.data(), bytes.size());
    require(count == static_cast<ssize_t>(bytes.size()), "the file is written");
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

std::optional<results::LogContents> read(std::string_view bytes) {
  try {
    return results::read_log(MemoryFile(bytes).path());
  } catch (const std::runtime_error& refused) {
    require(*refused.what() != '\0', "a refusal says why");
    return std::nullopt;
  }
}

// The payloads of the rows up to the first record that is damaged or stands in a wrong place.
std::string rows_before_damage(std::string_view log, std::size_t row_bytes) {
  std::string rows;
  const std::vector<LogRecord> records = records_of(log);
  for (std::size_t k = 1; k < records.size() && records[k].is_whole && records[k].type == 'R'; ++k) {
    if (records[k].payload.size() != row_bytes) break;
    rows += records[k].payload;
  }
  return rows;
}

bool has_bits(const std::vector<double>& values, std::string_view bytes) {
  return 8 * values.size() == bytes.size() &&
         (bytes.empty() || std::memcmp(values.data(), bytes.data(), bytes.size()) == 0);
}

void check_log(std::string_view bytes) {
  const auto log = read(bytes);
  if (!log) return;
  const std::vector<double>& values = log->trajectory.values;
  const std::size_t row_bytes = 8 * log->header.channels.size();
  require(has_bits(values, rows_before_damage(bytes, row_bytes)), "every row before the damage is read");
  require(log->damage.empty() == (log->discarded_bytes == 0), "what is discarded is said");
  require(log->errors.rows() == 0 || log->errors.rows() == log->trajectory.rows(), "each row has its errors");
  const auto cut = read(bytes.substr(0, bytes.size() * 2 / 3));
  if (cut)
    require(cut->trajectory.values.size() <= values.size() &&
                (cut->trajectory.values.empty() || std::memcmp(cut->trajectory.values.data(), values.data(),
                                                               8 * cut->trajectory.values.size()) == 0),
            "a log that is cut off has the first rows of the whole one");
}

}  // namespace
}  // namespace trammel::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  trammel::fuzz::check_log({reinterpret_cast<const char*>(data), size});
  return 0;
}
