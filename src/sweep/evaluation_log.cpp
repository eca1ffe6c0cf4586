#include "sweep/evaluation_log.h"

#include <fmt/format.h>

#include <array>
#include <exception>
#include <stdexcept>

#include "math/bytes.h"
#include "results/files/crc32.h"
#include "results/files/results_file.h"
#include "sweep/chunk_file.h"
#include "sweep/parts.h"
#include "sweep/run_table.h"

namespace trammel::sweep {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLogMagic = "TRAMFIT\n";

template <class Bytes, class Values, class Row>
void evaluation_fields(Bytes& bytes, Values& values, Row& row) {
  auto status = static_cast<int>(row.status);
  bytes(values), bytes(status), bytes(row.time), bytes(row.values), bytes(row.message);
  if constexpr (Bytes::kReads) row.status = static_cast<RunStatus>(status);
}

std::string encoded(const std::vector<double>& values, const SweepRow& row) {
  math::ByteWriter bytes;
  evaluation_fields(bytes, values, row);
  std::string record;
  math::append_number(record, static_cast<std::uint32_t>(bytes.bytes().size()));
  record += bytes.bytes();
  math::append_number(record, results::crc32(record));
  return record;
}

// Every whole record of a log; how many bytes they take.
std::size_t read_log(const std::string& text, std::uint64_t wanted,
                     std::map<std::vector<double>, SweepRow>& there) {
  std::size_t at = kLogMagic.size() + 8;
  if (text.size() < at || !text.starts_with(kLogMagic) ||
      math::number_at<std::uint64_t>(text, kLogMagic.size()) != wanted)
    return 0;
  while (at + 8 <= text.size()) {
    const std::size_t length = math::number_at<std::uint32_t>(text, at);
    if (length > text.size() - at - 8) break;
    const std::string_view head(text.data() + at, 4 + length);
    if (results::crc32(head) != math::number_at<std::uint32_t>(text, at + 4 + length)) break;
    std::vector<double> values;
    SweepRow row;
    math::ByteReader bytes(head.substr(4));
    evaluation_fields(bytes, values, row);
    there[std::move(values)] = std::move(row);
    at += 8 + length;
  }
  return at;
}

}  // namespace

struct EvaluationLog::File {
  explicit File(const fs::path& path) : out(path) {}
  File(const fs::path& path, std::uintmax_t size, std::uintmax_t kept) : out(path, size, kept) {}
  results::OutputFile out;
};

EvaluationLog::EvaluationLog(const fs::path& folder, const std::string& description, bool resume) {
  if (folder.empty()) return;
  const fs::path told = folder / "problem.json", path = folder / "evaluations.log";
  const std::uint64_t wanted = fingerprint(description);
  if (fs::exists(told)) {
    const std::string before = read_text_file(told);
    if (before != description)
      throw std::invalid_argument(
          fmt::format("'{}' holds another problem: {}; give another folder, or remove this one",
                      folder.string(), differences(before, description)));
    if (!resume)
      throw std::invalid_argument(
          fmt::format("'{}' holds runs of this problem; --resume goes on with it (or remove the folder)",
                      folder.string()));
    const std::string text = fs::exists(path) ? read_text_file(path) : std::string();
    if (const std::size_t kept = read_log(text, wanted, there_); kept > 0) {
      file_ = std::make_unique<File>(path, text.size(), kept);
      return;
    }
  } else {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error)
      throw results::WriteError(
          fmt::format("cannot make the folder '{}': {}", folder.string(), error.message()));
    results::PartialFile partial(told);
    results::OutputFile out(partial.path(), told);
    out.write(description);
    out.close();
    partial.commit();
  }
  file_ = std::make_unique<File>(path);
  std::string head(kLogMagic);
  math::append_number(head, wanted);
  file_->out.write(head);
}

EvaluationLog::~EvaluationLog() = default;

SweepRow EvaluationLog::row(const Variants& variants, const std::vector<double>& values) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto at = there_.find(values); at != there_.end()) {
      ++known_;
      return at->second;
    }
    if (const auto at = new_.find(values); at != new_.end()) return at->second;
  }
  if (stops && stops()) throw Stopped();
  SweepRow made = variants.compute(values, [this](double) { return !stops || !stops(); });
  if (made.status == RunStatus::stopped) throw Stopped();
  const std::lock_guard lock(mutex_);
  ++computed_;
  if (file_) file_->out.write(encoded(values, made));
  new_[values] = made;
  return made;
}

std::vector<SweepRow> EvaluationLog::rows(const Variants& variants,
                                          const std::vector<std::vector<double>>& values,
                                          Executor* executor) {
  std::vector<SweepRow> all(values.size());
  std::vector<std::exception_ptr> thrown(values.size());
  const auto task = [&](std::size_t k) {
    try {
      all[k] = row(variants, values[k]);
    } catch (...) {
      thrown[k] = std::current_exception();
    }
  };
  if (executor != nullptr)
    executor->run(values.size(), task);
  else
    for (std::size_t k = 0; k < values.size(); ++k) task(k);
  for (const std::exception_ptr& one : thrown)
    if (one) std::rethrow_exception(one);
  return all;
}

}  // namespace trammel::sweep
