#include "model/reader/sampled_function.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>
#include <sstream>

#include "model/reader/model_file.h"

namespace trammel::model {
namespace {

constexpr std::size_t kMostSamples = 10'000'000;
// Of the spacing: rounding of times that are written with a few digits.
constexpr double kUneven = 1e-3;
// Both passes together have 1/√2 at the cut-off: each has its own a little higher.
const double kTwoPasses = std::pow(std::numbers::sqrt2 - 1, 0.25);

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  const bool blanks = line.find_first_of(",;\t") == std::string::npos;
  for (const char c : line) {
    if (c == '\r' || c == '"') continue;
    const bool parts = blanks ? c == ' ' : c == ',' || c == ';' || c == '\t';
    if (parts && !(blanks && cells.back().empty()))
      cells.emplace_back();
    else if (c != ' ')
      cells.back() += c;
  }
  if (blanks && cells.size() > 1 && cells.back().empty()) cells.pop_back();
  return cells;
}

std::optional<double> number_of(const std::string& cell) {
  double value = 0;
  const char* end = cell.data() + cell.size();
  const auto [at, error] = std::from_chars(cell.data(), end, value);
  if (error != std::errc() || at != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

// The place of a column; none where the file does not have it.
std::optional<std::size_t> column_of(const std::string& column, const std::vector<std::string>& head) {
  if (const auto named = std::ranges::find(head, column); named != head.end())
    return static_cast<std::size_t>(named - head.begin());
  const std::optional<double> number = number_of(column);
  if (!number || *number < 1 || *number > static_cast<double>(head.size()) || std::floor(*number) != *number)
    return std::nullopt;
  return static_cast<std::size_t>(*number) - 1;
}

// Once over all samples, from the steady state of the first.
void pass(std::vector<double>& y, double Omega) {
  const double square = Omega * Omega, a0 = square / (1 + std::numbers::sqrt2 * Omega + square);
  const double K = 2 * a0 / square, b1 = K - 2 * a0, b2 = 1 - 2 * a0 - K;
  double x1 = y.front(), x2 = x1, y1 = x1, y2 = x1;
  for (double& one : y) {
    const double x = one;
    one = a0 * (x + 2 * x1 + x2) + b1 * y1 + b2 * y2;
    x2 = x1, x1 = x, y2 = y1, y1 = one;
  }
}

}  // namespace

std::variant<Samples, SamplesError> parse_samples(const std::string& text, const std::string& x,
                                                  const std::string& y) {
  Samples out;
  std::istringstream in(text);
  std::string line;
  std::optional<std::size_t> at_x, at_y;
  for (std::size_t n = 1; std::getline(in, line); ++n) {
    if (line.empty() || line == "\r" || line.front() == '#') continue;
    const std::vector<std::string> cells = cells_of(line);
    const bool first = !at_x;
    if (first) {
      at_x = column_of(x, cells), at_y = column_of(y, cells);
      if (!at_x || !at_y)
        return SamplesError{fmt::format("there is no column '{}'", at_x ? y : x),
                            fmt::format("give one of: {}, or its number", fmt::join(cells, ", "))};
      if (!number_of(cells[*at_x]) && !number_of(cells[*at_y])) continue;  // names
    }
    const auto cell = [&](std::size_t k) { return k < cells.size() ? number_of(cells[k]) : std::nullopt; };
    const std::optional<double> of_x = cell(*at_x), of_y = cell(*at_y);
    if (!of_x || !of_y)
      return SamplesError{fmt::format("line {} has no number in column '{}'", n, of_x ? y : x),
                          "give a finite number there, or leave the line out"};
    if (!out.x.empty() && *of_x <= out.x.back())
      return SamplesError{fmt::format("line {}: {} = {} does not come after {}", n, x, *of_x, out.x.back()),
                          "order the lines, each value once"};
    if (out.x.size() >= kMostSamples)
      return SamplesError{fmt::format("it has more than {} lines", kMostSamples), "leave some out"};
    out.x.push_back(*of_x), out.y.push_back(*of_y);
  }
  if (out.x.size() < 2) return SamplesError{"it has fewer than two lines of numbers", "give two or more"};
  return out;
}

std::variant<Samples, SamplesError> read_samples(const std::string& path, const std::string& x,
                                                 const std::string& y) {
  const FileText file = read_data_file(path);
  if (file.error) return SamplesError{file.error->message, "check the name, and that it is beside the model"};
  return parse_samples(file.text, x, y);
}

std::string why_no_filter(const Samples& samples, double cut_off) {
  const double step = (samples.x.back() - samples.x.front()) / static_cast<double>(samples.x.size() - 1);
  for (std::size_t k = 1; k < samples.x.size(); ++k)
    if (std::abs(samples.x[k] - samples.x[k - 1] - step) > kUneven * step)
      return fmt::format("the samples are not evenly spaced: {:.6g} after {:.6g}", samples.x[k],
                         samples.x[k - 1]);
  if (!(cut_off > 0) || !(cut_off < 0.5 / step))
    return fmt::format("the cut-off frequency is not between 0 and half of the sampling rate, {:.6g} Hz",
                       0.5 / step);
  return {};
}

void filter(Samples& samples, double cut_off) {
  const std::size_t n = samples.x.size();
  const double step = (samples.x.back() - samples.x.front()) / static_cast<double>(n - 1);
  const double Omega = std::tan(std::numbers::pi * cut_off * step) / kTwoPasses;
  // So far beyond both ends that nothing is left of their beginning: some periods of the cut-off.
  const auto beyond = std::min<std::size_t>(n - 1, static_cast<std::size_t>(std::ceil(3 / (cut_off * step))));
  std::vector<double> y;
  for (std::size_t k = beyond; k > 0; --k) y.push_back(2 * samples.y.front() - samples.y[k]);
  y.insert(y.end(), samples.y.begin(), samples.y.end());
  for (std::size_t k = 1; k <= beyond; ++k) y.push_back(2 * samples.y.back() - samples.y[n - 1 - k]);
  for (int passes = 0; passes < 2; ++passes) {
    pass(y, Omega);
    std::ranges::reverse(y);
  }
  samples.y.assign(y.begin() + static_cast<std::ptrdiff_t>(beyond),
                   y.begin() + static_cast<std::ptrdiff_t>(beyond + n));
}

}  // namespace trammel::model
