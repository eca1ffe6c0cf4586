// Functions from files: columns by name and number, the gain of the filter, and what is said of bad files.
#include "model/reader/sampled_function.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "mechanism/functions.h"
#include "trammel/model.h"

namespace trammel::tests::sampled_function_test {
namespace {

using std::numbers::pi;

model::Samples parsed(const std::string& text, const std::string& x = "1", const std::string& y = "2") {
  auto read = model::parse_samples(text, x, y);
  if (const auto* wrong = std::get_if<model::SamplesError>(&read)) ADD_FAILURE() << wrong->message;
  return std::get<model::Samples>(read);
}

std::string refusal(const std::string& text, const std::string& x = "1", const std::string& y = "2") {
  const auto read = model::parse_samples(text, x, y);
  const auto* wrong = std::get_if<model::SamplesError>(&read);
  return wrong == nullptr ? "" : wrong->message + "; " + wrong->remedy;
}

TEST(SampledFunction, HasColumnsByNameAndByNumber) {
  const model::Samples named = parsed("# walking\n\"time\",hip,knee\r\n0,1,2\r\n0.5,3,4\r\n", "time", "knee");
  EXPECT_EQ(named.x, (std::vector<double>{0, 0.5}));
  EXPECT_EQ(named.y, (std::vector<double>{2, 4}));
  EXPECT_EQ(parsed("0;1;5\n1;2;6\n", "1", "3").y, (std::vector<double>{5, 6}));
  EXPECT_EQ(parsed("  0   1\n 1  2 \n").y, (std::vector<double>{1, 2}));
}

// A sine keeps its phase, and its amplitude is that of the formula.
TEST(SampledFunction, TheFilterHasItsGainAndNoLag) {
  const double rate = 100, cut_off = 6;
  for (const double f : {1.0, 6.0, 15.0}) {
    model::Samples samples;
    for (int k = 0; k <= 1000; ++k) {
      samples.x.push_back(k / rate);
      samples.y.push_back(3 + std::sin(2 * pi * f * k / rate));
    }
    ASSERT_EQ(model::why_no_filter(samples, cut_off), "");
    model::filter(samples, cut_off);
    const double ratio = std::tan(pi * f / rate) / std::tan(pi * cut_off / rate);
    const double gain = 1 / (1 + (std::numbers::sqrt2 - 1) * std::pow(ratio, 4));
    for (int k = 400; k <= 600; ++k)
      EXPECT_NEAR(samples.y[static_cast<std::size_t>(k)], 3 + gain * std::sin(2 * pi * f * k / rate), 1e-9);
  }
}

TEST(SampledFunction, ALineStaysALine) {
  model::Samples samples;
  for (int k = 0; k <= 50; ++k) samples.x.push_back(0.01 * k), samples.y.push_back(2 - 7 * 0.01 * k);
  model::filter(samples, 10);
  for (std::size_t k = 0; k < samples.x.size(); ++k) EXPECT_NEAR(samples.y[k], 2 - 7 * samples.x[k], 1e-5);
}

TEST(SampledFunction, SaysWhatIsWrong) {
  const auto has = [](const std::string& said, const char* words) {
    EXPECT_NE(said.find(words), std::string::npos) << said;
  };
  has(refusal("t,a\n0,1\n1,2\n", "t", "b"), "there is no column 'b'; give one of: t, a, or its number");
  has(refusal("t,a\n0,1\n1,x\n", "t", "a"), "line 3 has no number in column 'a'");
  has(refusal("t,a\n0,1\n0,2\n", "t", "a"), "line 3: t = 0 does not come after 0");
  has(refusal("t,a\n0,1\n", "t", "a"), "fewer than two lines");
  has(model::why_no_filter({{0, 1, 3}, {0, 0, 0}}, 0.1), "not evenly spaced");
  has(model::why_no_filter({{0, 1, 2}, {0, 0, 0}}, 0.6), "half of the sampling rate, 0.5 Hz");
}

// A measured angle drives a pendulum: the effort of inverse dynamics follows from it.
TEST(SampledFunction, AModelReadsItsFile) {
  const auto folder = std::filesystem::temp_directory_path() / "trammel_sampled";
  std::filesystem::create_directories(folder);
  std::ofstream csv(folder / "walk.csv");
  csv << "ms,knee\n";
  for (int k = 0; k <= 200; ++k) csv << 10 * k << "," << 20 * std::sin(2 * pi * 0.01 * k) << "\n";
  csv.close();
  const auto read = [&](const std::string& function) {
    std::ofstream(folder / "model.yaml") << "trammel: 1\nplane: xy\nfunctions: {knee: " << function
                                         << "}\nbodies: {a: {mass: 1, inertia: 1}}\n"
                                            "joints: {j: {revolute: [a, ground], at: [0, 0]}}\n"
                                            "drivers: {m: {joint: j, equals: knee(t)}}\n";
    return read_model((folder / "model.yaml").string());
  };
  const ModelInput input = read("{file: walk.csv, columns: [ms, knee], units: [ms, deg], filter: 8 Hz}");
  ASSERT_TRUE(input.errors.empty()) << to_string(input.errors.front());
  const TableFunction& knee = input.mechanism.functions.at(0);
  EXPECT_EQ(knee.x.size(), 201u);
  EXPECT_NEAR(knee.x.back(), 2, 1e-12);
  const double gain =
      1 / (1 + (std::numbers::sqrt2 - 1) * std::pow(std::tan(0.01 * pi) / std::tan(0.08 * pi), 4));
  EXPECT_NEAR(knee.y[125], gain * 20 * pi / 180 * std::sin(2 * pi * 1.25), 1e-6);
  const auto says = [&](const std::string& function, const char* words) {
    const ModelInput wrong = read(function);
    ASSERT_FALSE(wrong.errors.empty()) << function;
    const std::string said = to_string(wrong.errors.front());
    EXPECT_NE(said.find(words), std::string::npos) << said;
  };
  says("{file: nothing.csv}", "file: 'nothing.csv': there is no such file");
  says("{file: /}", "file: '/': this is a folder");
  says("{file: /dev/zero}", "file: '/dev/zero': the file is larger than 256 MB");
  says("{file: walk.csv, units: [ms, degrees]}", "units: 'degrees' is no unit");
  says("{file: walk.csv, filter: 80 Hz, units: [ms, deg]}", "half of the sampling rate, 50 Hz");
  says("{file: walk.csv, table: [[0, 0], [1, 1]]}", "a function has one kind");
  says("{spline: [[0, 0], [1, 1]], filter: 6}", "it belongs to `file:`");
}

}  // namespace
}  // namespace trammel::tests::sampled_function_test
