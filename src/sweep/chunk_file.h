// The file of a chunk: one record for each of its runs. It grows beside its final name while the chunk is
// computed, and gets that name when it is complete and on the disk.
//
//   "TRAMSWP\n"  fingerprint of the sweep (u64)  record…
//   record = length (u32)  payload  CRC-32 of both (u32)
//   payload = run, status, time, values, message (math/bytes.h)
//
// A record depends on the sweep and the number of its run alone: whoever finds one that is whole can use it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "results/files/results_file.h"
#include "trammel/sweep.h"

namespace trammel::sweep {

using Records = std::map<std::uint64_t, SweepRow>;

// FNV-1a of the sweep's description: chunks of another sweep are never taken for this one's.
std::uint64_t fingerprint(const std::string& description);

std::filesystem::path chunk_path(const std::filesystem::path& folder, std::uint64_t chunk);

// Every whole record before the first damaged one; nothing where the file is not there or of another sweep.
Records read_records(const std::filesystem::path& path, std::uint64_t fingerprint, std::size_t values);

// A complete chunk; nothing if it is not there, or damaged.
std::optional<Records> read_chunk(const std::filesystem::path& folder, std::uint64_t chunk,
                                  std::uint64_t fingerprint, const Sweep& sweep);

// What processes that were killed have left of a chunk.
struct PartialChunk {
  Records records;
  std::vector<std::filesystem::path> files;
};
PartialChunk read_partial_chunk(const std::filesystem::path& folder, std::uint64_t chunk,
                                std::uint64_t fingerprint, const Sweep& sweep);

class ChunkWriter {
 public:
  ChunkWriter(const std::filesystem::path& folder, std::uint64_t chunk, std::uint64_t fingerprint);
  void add(std::uint64_t run, const SweepRow& row);
  // Waits for the disk, gives the file its name, and removes what others have left of the chunk.
  void finish(const std::vector<std::filesystem::path>& left);

 private:
  std::filesystem::path final_, partial_;
  results::OutputFile file_;
};

}  // namespace trammel::sweep
