#include "sweep/chunk_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <stdexcept>
#include <system_error>

#include "math/bytes.h"
#include "results/files/crc32.h"
#include "sweep/run_table.h"

namespace trammel::sweep {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "TRAMSWP\n";
constexpr std::size_t kHeadBytes = kMagic.size() + 8;

template <class Bytes, class Row>
void fields(Bytes& bytes, std::uint64_t& run, Row& row) {
  auto status = static_cast<int>(row.status);
  bytes(run), bytes(status), bytes(row.time), bytes(row.values), bytes(row.message);
  if constexpr (Bytes::kReads) row.status = static_cast<RunStatus>(status);
}

// Two machines of a cluster may have processes of the same number.
std::string process_name() {
  std::array<char, 256> host{};
  static_cast<void>(gethostname(host.data(), host.size() - 1));
  return fmt::format("{}-{}", host.data(), ::getpid());
}

bool is_partial_of(const fs::path& path, const fs::path& final_path) {
  const std::string name = path.filename().string();
  return name.starts_with(final_path.filename().string() + ".") && name.ends_with(".partial");
}

std::vector<fs::path> partials_of(const fs::path& final_path) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(final_path.parent_path(), ignored))
    if (is_partial_of(entry.path(), final_path)) found.push_back(entry.path());
  return found;
}

std::uint64_t first_run(std::uint64_t chunk, const Sweep& sweep) { return chunk * sweep.chunk_size(); }
std::uint64_t runs_in(std::uint64_t chunk, const Sweep& sweep) {
  return std::min(sweep.chunk_size(), sweep.runs() - first_run(chunk, sweep));
}

std::size_t values_of(const Sweep& sweep) {
  std::size_t count = 0;
  for (const SweepColumn& column : sweep.observations()) count += column.size();
  return count;
}

}  // namespace

std::uint64_t fingerprint(const std::string& description) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : description) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return hash;
}

fs::path chunk_path(const fs::path& folder, std::uint64_t chunk) {
  return folder / "chunks" / fmt::format("{:07}.chunk", chunk);
}

Records read_records(const fs::path& path, std::uint64_t wanted, std::size_t values) {
  Records records;
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return records;
  std::string text;
  try {
    text = read_text_file(path);
  } catch (const std::runtime_error&) {
    return records;  // renamed meanwhile
  }
  if (text.size() < kHeadBytes || !text.starts_with(kMagic) ||
      math::number_at<std::uint64_t>(text, kMagic.size()) != wanted)
    return records;
  for (std::size_t at = kHeadBytes; at + 8 <= text.size();) {
    const std::size_t length = math::number_at<std::uint32_t>(text, at);
    if (length > text.size() - at - 8) break;
    const std::string_view head(text.data() + at, 4 + length);
    if (results::crc32(head) != math::number_at<std::uint32_t>(text, at + 4 + length)) break;
    std::uint64_t run = 0;
    SweepRow row;
    math::ByteReader bytes(head.substr(4));
    fields(bytes, run, row);
    if (row.values.size() == values) records[run] = std::move(row);
    at += 8 + length;
  }
  return records;
}

std::optional<Records> read_chunk(const fs::path& folder, std::uint64_t chunk, std::uint64_t wanted,
                                  const Sweep& sweep) {
  Records records = read_records(chunk_path(folder, chunk), wanted, values_of(sweep));
  if (records.size() != runs_in(chunk, sweep) || records.begin()->first != first_run(chunk, sweep)) return {};
  return records;
}

PartialChunk read_partial_chunk(const fs::path& folder, std::uint64_t chunk, std::uint64_t wanted,
                                const Sweep& sweep) {
  PartialChunk all{{}, partials_of(chunk_path(folder, chunk))};
  const std::uint64_t first = first_run(chunk, sweep);
  for (const fs::path& path : all.files)
    for (auto& [run, row] : read_records(path, wanted, values_of(sweep)))
      if (run >= first && run < first + runs_in(chunk, sweep)) all.records[run] = std::move(row);
  return all;
}

ChunkWriter::ChunkWriter(const fs::path& folder, std::uint64_t chunk, std::uint64_t wanted)
    : final_(chunk_path(folder, chunk)),
      partial_(fmt::format("{}.{}.partial", final_.string(), process_name())),
      file_(partial_, final_) {
  std::string head(kMagic);
  math::append_number(head, wanted);
  file_.write(head);
}

void ChunkWriter::add(std::uint64_t run, const SweepRow& row) {
  math::ByteWriter bytes;
  fields(bytes, run, row);
  std::string record;
  math::append_number(record, static_cast<std::uint32_t>(bytes.bytes().size()));
  record += bytes.bytes();
  math::append_number(record, results::crc32(record));
  file_.write(record);
}

void ChunkWriter::finish(const std::vector<fs::path>& left) {
  file_.close();
  const int descriptor = ::open(partial_.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor >= 0) {
    const int error = ::fsync(descriptor) == 0 ? 0 : errno;
    ::close(descriptor);
    if (error != 0) file_.fail(error);
  }
  // Another process may have finished the same chunk, to the same bytes, and removed what was left of it.
  std::error_code ignored;
  if (::rename(partial_.c_str(), final_.c_str()) != 0 && !fs::exists(final_, ignored)) file_.fail(errno);
  for (const fs::path& path : left)
    if (path != partial_) fs::remove(path, ignored);
}

}  // namespace trammel::sweep
