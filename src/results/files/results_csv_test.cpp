#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <random>
#include <sstream>

#include "results/files/test_support.h"
#include "trammel/results.h"

namespace trammel::results::results_csv_test {
namespace {

using ResultsCsvTest = ResultsTest;

std::vector<std::string> lines_of(const std::filesystem::path& path) {
  std::vector<std::string> lines;
  std::istringstream in(read_bytes(path));
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST_F(ResultsCsvTest, WritesNamesUnitsAndValues) {
  const std::filesystem::path path = folder() / "results.csv";
  write_csv(path, sample_run().trajectory);
  const std::vector<std::string> lines = lines_of(path);
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0],
            "t [s],\"front, left.x [m]\",\"front, left.y [m]\",a/b.x [m],a%2Fb.x [m],"
            "\"the \"\"knee\"\".force.x [N]\",..x [m],..angle [rad],energy.kinetic [J],solver.iterations");
  EXPECT_EQ(lines[1], "0,0.10000000000000001,-0,0.33333333333333331,1e-300,,1,-1.5,20000000000,3");
  EXPECT_EQ(files(), std::vector<std::string>{"results.csv"});
}

TEST_F(ResultsCsvTest, ValuesRoundTripToTheBit) {
  Trajectory trajectory;
  trajectory.channels = {{.group = "", .dataset = "time", .component = "", .unit = "s", .name = "t"}};
  std::mt19937_64 random(1);
  while (trajectory.values.size() < 20000) {
    const auto value = std::bit_cast<double>(random());
    if (std::isfinite(value)) trajectory.values.push_back(value);
  }
  trajectory.values.insert(trajectory.values.end(), {0.0, -0.0, 5e-324, 1.7976931348623157e308, 0.1});
  write_csv(folder() / "results.csv", trajectory);
  const std::vector<std::string> lines = lines_of(folder() / "results.csv");
  ASSERT_EQ(lines.size(), trajectory.rows() + 1);
  std::vector<double> read;
  for (std::size_t i = 1; i < lines.size(); ++i) read.push_back(std::strtod(lines[i].c_str(), nullptr));
  EXPECT_EQ(bits(read), bits(trajectory.values));
}

TEST_F(ResultsCsvTest, RunWithoutRowsHasItsHeader) {
  Trajectory trajectory = sample_run().trajectory;
  trajectory.values.clear();
  write_csv(folder() / "results.csv", trajectory);
  EXPECT_EQ(lines_of(folder() / "results.csv").size(), 1U);
}

TEST_F(ResultsCsvTest, FailureLeavesTheFormerFileAndNoOther) {
  const std::filesystem::path path = folder() / "results.csv";
  write_bytes(path, "before");
  Trajectory trajectory = sample_run().trajectory;
  {
    const FileSizeLimit limit(100);
    EXPECT_EQ(message_of<std::runtime_error>([&] { write_csv(path, trajectory); }),
              "cannot write '" + path.string() + "': File too large");
  }
  trajectory.values[21] = kMissing;
  EXPECT_EQ(message_of<std::logic_error>([&] { write_csv(path, trajectory); }),
            "the value nan of 'front, left.x' at t = 0.002 is not a result");
  EXPECT_EQ(read_bytes(path), "before");
  EXPECT_EQ(files(), std::vector<std::string>{"results.csv"});
}

TEST_F(ResultsCsvTest, SaysWhyAFileCannotBeWritten) {
  const Trajectory trajectory = sample_run().trajectory;
  const std::filesystem::path path = folder() / "missing" / "results.csv";
  EXPECT_EQ(message_of<std::runtime_error>([&] { write_csv(path, trajectory); }),
            "cannot write '" + path.string() + "': No such file or directory");
  std::filesystem::create_directories(folder() / "results.csv");
  EXPECT_EQ(message_of<std::runtime_error>([&] { write_csv(folder() / "results.csv", trajectory); }),
            "cannot write '" + (folder() / "results.csv").string() + "': Is a directory");
}

}  // namespace
}  // namespace trammel::results::results_csv_test
