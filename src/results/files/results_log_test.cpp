#include "results/files/results_log.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>

#include "results/files/bounded_json.h"
#include "results/files/test_support.h"

namespace trammel::results::results_log_test {
namespace {

using ResultsLogTest = ResultsTest;

void write_rows(ResultsLog& log, const Trajectory& trajectory) {
  for (std::size_t i = 0; i < trajectory.rows(); ++i) log.write(trajectory.row(i));
}

void write_log(const std::filesystem::path& path, const LogContents& run) {
  ResultsLog log(path, run.header);
  write_rows(log, run.trajectory);
  if (run.summary) log.finish(*run.summary);
}

// Where each record ends, found from the format as it is documented, not with the reader.
std::vector<std::size_t> record_ends(std::string_view bytes) {
  std::vector<std::size_t> ends;
  for (std::size_t at = 12; at < bytes.size(); ends.push_back(at)) {
    std::size_t length = 0;
    for (std::size_t i = 4; i > 0; --i) length = 256 * length + static_cast<unsigned char>(bytes[at + i]);
    at += 5 + length + 4;
  }
  return ends;
}

// CRC-32 bit by bit, from its definition.
std::uint32_t slow_crc(std::string_view bytes) {
  std::uint32_t crc = ~0U;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1U) != 0 ? (crc >> 1) ^ 0xEDB88320U : crc >> 1;
  }
  return ~crc;
}

TEST_F(ResultsLogTest, ReadsBackWhatWasWritten) {
  const LogContents run = sample_run();
  write_log(folder() / "results.log", run);
  const LogContents read = read_log(folder() / "results.log");
  EXPECT_EQ(read.header.model, run.header.model);
  EXPECT_EQ(read.header.plan, run.header.plan);
  EXPECT_EQ(read.header.channels, run.header.channels);
  EXPECT_EQ(read.header.version, run.header.version);
  EXPECT_EQ(read.header.creation, run.header.creation);
  EXPECT_EQ(read.trajectory.channels, run.header.channels);
  EXPECT_EQ(bits(read.trajectory.values), bits(run.trajectory.values));
  EXPECT_EQ(read.summary, run.summary);
  EXPECT_EQ(read.discarded_bytes, 0U);
  EXPECT_EQ(read.damage, "");
}

TEST_F(ResultsLogTest, FormatIsTheDocumentedOne) {
  EXPECT_EQ(slow_crc("123456789"), 0xCBF43926U);  // the published check value
  write_log(folder() / "results.log", sample_run());
  const std::string bytes = read_bytes(folder() / "results.log");
  EXPECT_EQ(bytes.substr(0, 12), std::string("TRAMLOG\n\2\0\0\0", 12));
  const std::vector<std::size_t> ends = record_ends(bytes);
  ASSERT_EQ(ends.size(), 5U);
  std::string types;
  std::size_t start = 12;
  for (const std::size_t end : ends) {
    types += bytes[start];
    std::uint32_t stored = 0;
    for (std::size_t i = 1; i <= 4; ++i) stored = 256 * stored + static_cast<unsigned char>(bytes[end - i]);
    EXPECT_EQ(stored, slow_crc(std::string_view(bytes).substr(start, end - 4 - start)));
    start = end;
  }
  EXPECT_EQ(types, "HRRRS");
}

TEST_F(ResultsLogTest, CutAnywhereKeepsExactlyTheWholeRecords) {
  const LogContents run = sample_run();
  const std::filesystem::path path = folder() / "results.log";
  write_log(path, run);
  const std::string bytes = read_bytes(path);
  const std::vector<std::size_t> ends = record_ends(bytes);
  ASSERT_EQ(ends.back(), bytes.size());
  for (std::size_t size = bytes.size() + 1; size-- > 0;) {
    std::filesystem::resize_file(path, size);
    if (size < ends.front()) {
      EXPECT_NE(message_of<std::runtime_error>([&] { read_log(path); }).find(path.string()),
                std::string::npos);
      continue;
    }
    const auto whole = static_cast<std::size_t>(std::ranges::upper_bound(ends, size) - ends.begin());
    const LogContents read = read_log(path);
    const std::size_t rows = std::min<std::size_t>(whole - 1, 3);
    EXPECT_EQ(bits(read.trajectory.values), bits(std::span(run.trajectory.values).first(10 * rows)));
    EXPECT_EQ(read.summary.has_value(), whole == 5);
    EXPECT_EQ(read.discarded_bytes, size - ends[whole - 1]);
    EXPECT_EQ(read.damage, size == ends[whole - 1] ? "" : "a record is cut off");
  }
}

TEST_F(ResultsLogTest, FlippedByteIsFoundAndEverythingBeforeIsKept) {
  const LogContents run = sample_run();
  const std::filesystem::path path = folder() / "results.log";
  write_log(path, run);
  const std::string bytes = read_bytes(path);
  const std::vector<std::size_t> ends = record_ends(bytes);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    write_bytes(path, damaged);
    if (at < ends.front()) {
      EXPECT_NE(message_of<std::runtime_error>([&] { read_log(path); }), "");
      continue;
    }
    const auto whole = static_cast<std::size_t>(std::ranges::upper_bound(ends, at) - ends.begin());
    const LogContents read = read_log(path);
    EXPECT_EQ(bits(read.trajectory.values), bits(std::span(run.trajectory.values).first(10 * (whole - 1))));
    EXPECT_FALSE(read.summary);
    EXPECT_EQ(read.discarded_bytes, bytes.size() - ends[whole - 1]);
    EXPECT_NE(read.damage, "");
  }
}

TEST_F(ResultsLogTest, WhatFollowsTheSummaryIsDiscarded) {
  const std::filesystem::path path = folder() / "results.log";
  write_log(path, sample_run());
  const std::string bytes = read_bytes(path);
  const std::vector<std::size_t> ends = record_ends(bytes);
  const std::string row = bytes.substr(ends[0], ends[1] - ends[0]);
  write_bytes(path, bytes + row);
  const LogContents read = read_log(path);
  EXPECT_EQ(read.trajectory.rows(), 3U);
  EXPECT_TRUE(read.summary);
  EXPECT_EQ(read.discarded_bytes, row.size());
  EXPECT_EQ(read.damage, "there is something after the summary");
}

TEST_F(ResultsLogTest, KilledRunLosesNothingThatWasFlushed) {
  const LogContents run = sample_run();
  const std::filesystem::path path = folder() / "results.log";
  const pid_t child = fork();
  if (child == 0) {
    ResultsLog log(path, run.header);
    write_rows(log, run.trajectory);
    log.flush();
    std::raise(SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  const LogContents read = read_log(path);
  EXPECT_EQ(bits(read.trajectory.values), bits(run.trajectory.values));
  EXPECT_FALSE(read.summary);
  EXPECT_EQ(read.damage, "");
}

TEST_F(ResultsLogTest, KilledRunLosesAtMostOneBuffer) {
  const LogContents run = sample_run();
  const std::filesystem::path path = folder() / "results.log";
  const std::size_t rows = 10000;
  const pid_t child = fork();
  if (child == 0) {
    ResultsLog log(path, run.header);
    for (std::size_t i = 0; i < rows; ++i) log.write(run.trajectory.row(0));
    std::raise(SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  const std::size_t row_bytes = 5 + 8 * run.header.channels.size() + 4;
  EXPECT_LE(rows - read_log(path).trajectory.rows(), 65536 / row_bytes);
}

TEST_F(ResultsLogTest, LogThatWasNotFinishedIsFlushedByItsDestructor) {
  LogContents run = sample_run();
  run.summary.reset();
  write_log(folder() / "results.log", run);
  const LogContents read = read_log(folder() / "results.log");
  EXPECT_EQ(read.trajectory.rows(), 3U);
  EXPECT_FALSE(read.summary);
  EXPECT_EQ(read.damage, "");
}

TEST_F(ResultsLogTest, RefusesWhatIsNotAResult) {
  const std::filesystem::path path = folder() / "results.log";
  const LogContents run = sample_run();
  ResultsLog log(path, run.header);
  const auto message = [&](std::size_t column, double value) {
    std::vector<double> row(10, 1.0);
    row[column] = value;
    return message_of<std::logic_error>([&] { log.write(row); });
  };
  EXPECT_EQ(message(2, kMissing), "the value nan of 'front, left.y' at t = 1 is not a result");
  EXPECT_EQ(message(0, kMissing), "the value nan of 't' at t = nan is not a result");
  EXPECT_EQ(message(5, kMissing), "");  // a reaction that may be missing
  EXPECT_NE(message(5, std::numeric_limits<double>::infinity()), "");
  EXPECT_EQ(message_of<std::logic_error>([&] { log.write(std::vector<double>(9)); }),
            "a row of results has 9 values for 10 channels");
  log.finish({});
  EXPECT_EQ(message(0, 1.0), "a row was written after the end of the results");
  EXPECT_EQ(message_of<std::logic_error>([&] { log.finish({}); }), "the results were ended twice");
  EXPECT_EQ(read_log(path).trajectory.rows(), 1U);
}

TEST_F(ResultsLogTest, SaysWhyAFileCannotBeWritten) {
  const LogHeader header = sample_run().header;
  const std::filesystem::path path = folder() / "missing" / "results.log";
  EXPECT_EQ(message_of<std::runtime_error>([&] { ResultsLog(path, header); }),
            "cannot write '" + path.string() + "': No such file or directory");
  EXPECT_EQ(message_of<std::runtime_error>([&] { ResultsLog(folder(), header); }),
            "cannot write '" + folder().string() + "': Is a directory");
  EXPECT_EQ(message_of<std::runtime_error>([&] { ResultsLog("/dev/full", header); }),
            "cannot write '/dev/full': No space left on device");
}

TEST_F(ResultsLogTest, FullDiskIsReportedAndTheRowsBeforeItAreKept) {
  const LogContents run = sample_run();
  const std::filesystem::path path = folder() / "results.log";
  std::string message;
  {
    ResultsLog log(path, run.header);
    const FileSizeLimit limit(100000);
    for (int i = 0; i < 10000 && message.empty(); ++i) {
      message = message_of<std::runtime_error>([&] { log.write(run.trajectory.row(1)); });
    }
  }
  EXPECT_EQ(message, "cannot write '" + path.string() + "': File too large");
  const LogContents read = read_log(path);
  EXPECT_GT(read.trajectory.rows(), 1000U);
  EXPECT_EQ(bits(read.trajectory.row(1000)), bits(run.trajectory.row(1)));
}

TEST_F(ResultsLogTest, GoesOnFromTheSameByteWhenTheDiskHasRoomAgain) {
  const LogContents run = sample_run();
  const std::filesystem::path path = folder() / "results.log";
  ResultsLog log(path, run.header);
  {
    const FileSizeLimit limit(std::filesystem::file_size(path) + 50);
    log.write(run.trajectory.row(0));
    EXPECT_NE(message_of<std::runtime_error>([&] { log.flush(); }), "");
  }
  log.write(run.trajectory.row(1));
  log.finish({});
  const LogContents read = read_log(path);
  EXPECT_EQ(bits(read.trajectory.values), bits(std::span(run.trajectory.values).first(20)));
  EXPECT_EQ(read.damage, "");
}

// Cut anywhere, it goes on after its last whole row or checkpoint.
TEST_F(ResultsLogTest, GoesOnFromWhereItWasCutOff) {
  const LogContents run = sample_run();
  const std::filesystem::path path = folder() / "results.log";
  {
    ResultsLog log(path, run.header);
    for (std::size_t i = 0; i < run.trajectory.rows(); ++i) {
      log.write(run.trajectory.row(i));
      log.checkpoint("checkpoint " + std::to_string(i));
    }
    log.write_errors(run.trajectory.row(0));
    log.finish(*run.summary);
  }
  const std::string whole = read_bytes(path);
  const std::vector<std::size_t> ends = record_ends(whole);
  ASSERT_EQ(ends.size(), 9U);  // HRCRCRCES
  for (std::size_t size = ends[0]; size <= whole.size(); ++size) {
    write_bytes(path, whole.substr(0, size) + (size % 2 == 0 ? std::string(7, '\0') : "torn"));
    const LogContents read = read_log(path);
    std::size_t kept = ends[0];
    for (std::size_t k = 1; k < 7; ++k)
      if (ends[k] <= size) kept = ends[k];
    EXPECT_EQ(read.bytes_to_go_on, kept) << size;
    const std::size_t rows = read.trajectory.rows();
    EXPECT_EQ(rows, (ends[1] <= size ? 1U : 0U) + (ends[3] <= size ? 1U : 0U) + (ends[5] <= size ? 1U : 0U));
    {
      ResultsLog log(path, read);
      for (std::size_t i = rows; i < run.trajectory.rows(); ++i) log.write(run.trajectory.row(i));
      log.finish(*run.summary);
    }
    const LogContents again = read_log(path);
    EXPECT_EQ(bits(again.trajectory.values), bits(run.trajectory.values)) << size;
    EXPECT_EQ(again.checkpoints, read.checkpoints);
    EXPECT_EQ(again.summary, run.summary);
    EXPECT_EQ(again.damage, "");
  }
}

TEST_F(ResultsLogTest, DoesNotGoOnWithALogThatHasChanged) {
  const LogContents run = sample_run();
  const std::filesystem::path path = folder() / "results.log";
  write_log(path, run);
  const LogContents read = read_log(path);
  const std::string bytes = read_bytes(path) + "more";
  write_bytes(path, bytes);
  EXPECT_EQ(message_of<WriteError>([&] { ResultsLog(path, read); }),
            "cannot write '" + path.string() + "': another program has changed it meanwhile");
  EXPECT_EQ(read_bytes(path), bytes);
}

TEST_F(ResultsLogTest, TwoRunsCannotWriteOneLog) {
  const LogContents run = sample_run();
  const std::filesystem::path path = folder() / "results.log";
  ResultsLog log(path, run.header);
  EXPECT_EQ(message_of<std::runtime_error>([&] { ResultsLog(path, run.header); }),
            "cannot write '" + path.string() + "': another run is writing it");
  write_rows(log, run.trajectory);
  log.finish(*run.summary);
  EXPECT_EQ(read_log(path).trajectory.rows(), 3U);
}

TEST_F(ResultsLogTest, SaysWhyALogCannotBeRead) {
  const std::filesystem::path path = folder() / "results.log";
  const std::string start = "cannot read results log '" + path.string() + "': ";
  const auto message = [&] { return message_of<std::runtime_error>([&] { read_log(path); }); };
  EXPECT_EQ(message(), start + "No such file or directory");
  write_bytes(path, "");
  EXPECT_EQ(message(), start + "it is cut off before its header");
  write_bytes(path, "name: slider-crank\n");
  EXPECT_EQ(message(), start + "it is not a Trammel results log");
  write_bytes(path, std::string("TRAMLOG\n\3\0\0\0", 12));
  EXPECT_EQ(message(), start + "its format is version 3; this program reads versions up to 2");
  write_bytes(path, std::string("TRAMLOG\n\1\0\0\0", 12));
  EXPECT_EQ(message(), start + "it is cut off before its header");
  write_bytes(path, std::string("TRAMLOG\n\1\0\0\0H\xff\xff\xff\xff{}", 19));
  EXPECT_EQ(message(), start + "in its header, a record is cut off");
}

// A text nested deeper than the stack could bear.
TEST(BoundedJson, RefusesDeepNesting) {
  const std::string open(100'000, '['), close(100'000, ']');
  EXPECT_TRUE(parse_json(open + close).is_discarded());
  EXPECT_TRUE(parse_json(R"({"a": )" + open + close + "}").is_discarded());
  // Brackets in a text are no nesting.
  EXPECT_EQ(parse_json(R"(["\")" + open + R"("])").size(), 1U);
  EXPECT_EQ(parse_json(R"({"a": [[1]]})")["a"][0][0], 1);
}

TEST(Trajectory, FindsColumnsByName) {
  const Trajectory trajectory = sample_run().trajectory;
  EXPECT_EQ(trajectory.rows(), 3U);
  EXPECT_EQ(trajectory.find("t"), 0);
  EXPECT_EQ(trajectory.find("energy.kinetic"), 8);
  EXPECT_EQ(trajectory.find("crank.x"), -1);
  EXPECT_EQ(trajectory.row(2)[8], 4e10);
  EXPECT_EQ(Trajectory{}.rows(), 0U);
}

}  // namespace
}  // namespace trammel::results::results_log_test
