#include "results/files/results_log.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string_view>

#include "math/bytes.h"
#include "results/files/bounded_json.h"
#include "results/files/crc32.h"
#include "trammel/run.h"

namespace trammel::results {

namespace {

using math::append_number;
using math::number_at;

constexpr std::string_view kMagic = "TRAMLOG\n";
constexpr std::uint32_t kVersion = 2, kOldestRead = 1;
constexpr std::size_t kPreambleBytes = kMagic.size() + 4;
constexpr std::size_t kHeadBytes = 5;      // type and length
constexpr std::size_t kChecksumBytes = 4;  // after the payload

constexpr std::size_t kBufferBytes = 65536;
// Short enough that a run which meets a slow step has little waiting, long enough that the calls to
// the operating system (some 2 µs each) cost nothing.
constexpr std::chrono::milliseconds kFlushInterval{10};

// Rows are written and read as they lie in memory.
static_assert(std::endian::native == std::endian::little);

enum class RecordType : char { header = 'H', row = 'R', checkpoint = 'C', errors = 'E', summary = 'S' };

// Opens a record at the end of the buffer, to be followed by its payload; returns where it began.
std::size_t begin_record(std::string& buffer, RecordType type, std::size_t length) {
  if (length > std::numeric_limits<std::uint32_t>::max()) {
    throw std::runtime_error(fmt::format("a record of the results log cannot hold {} bytes", length));
  }
  const std::size_t start = buffer.size();
  buffer.push_back(static_cast<char>(type));
  append_number(buffer, static_cast<std::uint32_t>(length));
  return start;
}

void end_record(std::string& buffer, std::size_t start) {
  append_number(buffer, crc32(std::string_view(buffer).substr(start)));
}

void append_json(std::string& buffer, RecordType type, const nlohmann::json& json) {
  // Text that is not UTF-8 is stored with replacement characters: better than no results.
  const std::string text = json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  const std::size_t start = begin_record(buffer, type, text.size());
  buffer += text;
  end_record(buffer, start);
}

nlohmann::json header_to_json(const LogHeader& header) {
  return {{"model", header.model},
          {"plan", header.plan},
          {"channels", channels_to_json(header.channels)},
          {"version", header.version},
          {"creation", header.creation}};
}

LogHeader header_from_json(const nlohmann::json& json) {
  return {.model = json.at("model").get<std::string>(),
          .plan = json.at("plan"),
          .channels = channels_from_json(json.at("channels")),
          .version = json.at("version").get<std::string>(),
          .creation = json.at("creation")};
}

struct Record {
  RecordType type;
  std::string_view payload;
};

// Goes through a log record by record, and stops for good at the first that is not whole.
class LogReader {
 public:
  explicit LogReader(const std::filesystem::path& path) : path_(path), in_(path, std::ios::binary) {
    std::error_code error;
    bytes_in_file_ = remaining_ = std::filesystem::file_size(path, error);
    if (error) fail(error.message());
    if (!in_) fail("it cannot be opened");
    read_preamble();
  }

  // The next whole record, valid until the next call; none at the end or at damage.
  std::optional<Record> next() {
    if (remaining_ == 0) return std::nullopt;
    if (remaining_ < kHeadBytes) return stop("a record is cut off");
    read(0, kHeadBytes);
    const auto length = number_at<std::uint32_t>(bytes_, 1);
    // Looked at before reading, so that a damaged length cannot ask for memory.
    if (remaining_ < kHeadBytes + length + kChecksumBytes) return stop("a record is cut off");
    read(kHeadBytes, length + kChecksumBytes);
    const std::string_view body = std::string_view(bytes_).substr(0, kHeadBytes + length);
    if (crc32(body) != number_at<std::uint32_t>(bytes_, body.size())) return stop("a checksum is wrong");
    last_record_bytes_ = bytes_.size();
    remaining_ -= last_record_bytes_;
    return Record{static_cast<RecordType>(bytes_[0]), body.substr(kHeadBytes)};
  }

  // Gives back the record that next() returned last: it is whole but makes no sense where it stands.
  void reject(std::string reason) {
    remaining_ += last_record_bytes_;
    damage_ = std::move(reason);
  }

  std::uintmax_t bytes_in_file() const { return bytes_in_file_; }
  std::uintmax_t remaining() const { return remaining_; }
  const std::string& damage() const { return damage_; }

  [[noreturn]] void fail(std::string_view reason) const {
    throw std::runtime_error(fmt::format("cannot read results log '{}': {}", path_.string(), reason));
  }

 private:
  void read_preamble() {
    if (remaining_ < kPreambleBytes) fail("it is cut off before its header");
    read(0, kPreambleBytes);
    if (!bytes_.starts_with(kMagic)) fail("it is not a Trammel results log");
    const auto version = number_at<std::uint32_t>(bytes_, kMagic.size());
    if (version < kOldestRead || version > kVersion)
      fail(fmt::format("its format is version {}; this program reads versions up to {}", version, kVersion));
    remaining_ -= kPreambleBytes;
  }

  // Fills bytes_ from `offset` on with the next `count` bytes of the file.
  void read(std::size_t offset, std::size_t count) {
    bytes_.resize(offset + count);
    in_.read(bytes_.data() + offset, static_cast<std::streamsize>(count));
    if (!in_) fail("reading failed");
  }

  std::nullopt_t stop(std::string reason) {
    damage_ = std::move(reason);
    return std::nullopt;
  }

  std::filesystem::path path_;
  std::ifstream in_;
  std::uintmax_t bytes_in_file_ = 0;
  std::uintmax_t remaining_ = 0;  // bytes of the file after the whole records read so far
  std::size_t last_record_bytes_ = 0;
  std::string bytes_;  // of the record being read
  std::string damage_;
};

LogHeader read_header(LogReader& reader) {
  const std::optional<Record> record = reader.next();
  if (!record && reader.damage().empty()) reader.fail("it is cut off before its header");
  if (!record) reader.fail(fmt::format("in its header, {}", reader.damage()));
  if (record->type != RecordType::header) reader.fail("it does not begin with a header");
  const nlohmann::json json = parse_json(record->payload);
  if (json.is_discarded()) reader.fail("its header is not JSON");
  try {
    return header_from_json(json);
  } catch (const nlohmann::json::exception& error) {
    reader.fail(fmt::format("its header makes no sense ({})", error.what()));
  }
}

// Takes one record after the header into the contents; says what is wrong with it if it cannot.
std::string_view take(const Record& record, LogContents& contents) {
  if (contents.summary) return "there is something after the summary";
  if (record.type == RecordType::row || record.type == RecordType::errors) {
    if (record.payload.size() != 8 * contents.trajectory.channels.size()) {
      return "a row has the wrong number of values";
    }
    if (record.type == RecordType::row && contents.errors.rows() > 0)
      return "there is a row after the errors";
    Trajectory& table = record.type == RecordType::row ? contents.trajectory : contents.errors;
    if (record.payload.empty()) return {};
    const std::size_t before = table.values.size();
    table.values.resize(before + contents.trajectory.channels.size());
    std::memcpy(table.values.data() + before, record.payload.data(), record.payload.size());
    return {};
  }
  if (record.type == RecordType::checkpoint) {
    if (contents.errors.rows() > 0) return "there is a checkpoint after the errors";
    contents.checkpoints.emplace_back(record.payload);
    return {};
  }
  if (record.type == RecordType::summary) {
    auto summary = parse_json(record.payload);
    if (summary.is_discarded()) return "the summary is not JSON";
    contents.summary = std::move(summary);
    return {};
  }
  return "a record is of an unknown type";
}

}  // namespace

ResultsLog::ResultsLog(const std::filesystem::path& path, const LogHeader& header)
    : file_(path),
      channels_(header.channels),
      error_channels_(error_channels(channels_)),
      last_flush_(std::chrono::steady_clock::now()) {
  if (channels_.empty()) throw std::logic_error("results need at least the channel of time");
  buffer_ += kMagic;
  append_number(buffer_, kVersion);
  append_json(buffer_, RecordType::header, header_to_json(header));
  flush();
  // So that no row allocates.
  buffer_.reserve(kBufferBytes + kHeadBytes + 8 * channels_.size() + kChecksumBytes);
}

ResultsLog::ResultsLog(const std::filesystem::path& path, const LogContents& contents)
    : file_(path, contents.bytes, contents.bytes_to_go_on),
      channels_(contents.header.channels),
      error_channels_(error_channels(channels_)),
      last_flush_(std::chrono::steady_clock::now()) {
  buffer_.reserve(kBufferBytes + kHeadBytes + 8 * channels_.size() + kChecksumBytes);
}

ResultsLog::~ResultsLog() {
  int ignored = 0;
  if (!finished_) file_.write_some(buffer_, ignored);
}

void ResultsLog::write(std::span<const double> row) {
  if (finished_) throw std::logic_error("a row was written after the end of the results");
  require_valid(channels_, row);
  append(static_cast<char>(RecordType::row), row);
}

void ResultsLog::write_errors(std::span<const double> row) {
  if (finished_) throw std::logic_error("errors were written after the end of the results");
  require_valid(error_channels_, row);
  append(static_cast<char>(RecordType::errors), row);
}

void ResultsLog::checkpoint(std::string_view bytes) {
  if (finished_) throw std::logic_error("a checkpoint was written after the end of the results");
  const std::size_t start = begin_record(buffer_, RecordType::checkpoint, bytes.size());
  buffer_ += bytes;
  end_record(buffer_, start);
  flush();
}

void ResultsLog::append(char type, std::span<const double> row) {
  const std::size_t start = begin_record(buffer_, static_cast<RecordType>(type), 8 * row.size());
  buffer_.append(reinterpret_cast<const char*>(row.data()), row.size_bytes());
  end_record(buffer_, start);
  if (buffer_.size() >= kBufferBytes || std::chrono::steady_clock::now() - last_flush_ >= kFlushInterval) {
    flush();
  }
}

void ResultsLog::flush() {
  int error = 0;
  // What was not taken stays, so that a later flush goes on from the same byte.
  buffer_.erase(0, file_.write_some(buffer_, error));
  if (error != 0) file_.fail(error);
  last_flush_ = std::chrono::steady_clock::now();
}

void ResultsLog::finish(const nlohmann::json& summary) {
  if (finished_) throw std::logic_error("the results were ended twice");
  append_json(buffer_, RecordType::summary, summary);
  finished_ = true;
  flush();
  file_.close();
}

LogContents read_log(const std::filesystem::path& path) {
  LogReader reader(path);
  LogContents contents;
  contents.header = read_header(reader);
  contents.trajectory.channels = contents.header.channels;
  contents.errors.channels = error_channels(contents.header.channels);
  contents.trajectory.values.reserve(reader.remaining() / 8);
  contents.bytes = reader.bytes_in_file();
  contents.bytes_to_go_on = contents.bytes - reader.remaining();
  while (const std::optional<Record> record = reader.next()) {
    const std::string_view wrong = take(*record, contents);
    if (!wrong.empty()) {
      reader.reject(std::string(wrong));
      break;
    }
    if (record->type == RecordType::row || record->type == RecordType::checkpoint)
      contents.bytes_to_go_on = contents.bytes - reader.remaining();
  }
  // Errors of some rows only, as of a run that was killed, would be taken for those of all.
  if (contents.errors.rows() != contents.trajectory.rows()) contents.errors.values.clear();
  contents.discarded_bytes = reader.remaining();
  contents.damage = reader.damage();
  return contents;
}

void require_valid(std::span<const Channel> channels, std::span<const double> row) {
  if (row.size() != channels.size()) {
    throw std::logic_error(
        fmt::format("a row of results has {} values for {} channels", row.size(), channels.size()));
  }
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (std::isfinite(row[i]) || (std::isnan(row[i]) && channels[i].may_be_missing)) continue;
    throw std::logic_error(
        fmt::format("the value {} of '{}' at t = {} is not a result", row[i], channels[i].name, row[0]));
  }
}

nlohmann::json channels_to_json(std::span<const Channel> channels) {
  nlohmann::json list = nlohmann::json::array();
  for (const Channel& c : channels) {
    list.push_back({{"group", c.group},
                    {"dataset", c.dataset},
                    {"component", c.component},
                    {"unit", c.unit},
                    {"name", c.name},
                    {"may_be_missing", c.may_be_missing}});
  }
  return list;
}

std::vector<Channel> channels_from_json(const nlohmann::json& json) {
  std::vector<Channel> channels;
  for (const nlohmann::json& c : json) {
    channels.push_back({.group = c.at("group").get<std::string>(),
                        .dataset = c.at("dataset").get<std::string>(),
                        .component = c.at("component").get<std::string>(),
                        .unit = c.at("unit").get<std::string>(),
                        .name = c.at("name").get<std::string>(),
                        .may_be_missing = c.at("may_be_missing").get<bool>()});
  }
  return channels;
}

}  // namespace trammel::results
