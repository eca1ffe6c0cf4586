// Records of a results log, read and written without the program's own code (format:
// results/files/results_log.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trammel::fuzz {

struct LogRecord {
  char type = 0;
  std::string payload;    // cut short where the bytes end
  bool is_whole = false;  // with all its bytes, and the checksum that belongs to them
};

// All up to the first that is not whole, which is the last one here.
std::vector<LogRecord> records_of(std::string_view log);

// A log of these records, each with the checksum that belongs to it.
std::string log_of(const std::vector<LogRecord>& records);

}  // namespace trammel::fuzz
