#include "results/report/results_diff.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "results/report/words.h"

namespace trammel::results {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
// Times that differ by less than this part of the interval between rows are the same time.
constexpr double kSameTime = 1e-6;

using RowPairs = std::vector<std::pair<std::size_t, std::size_t>>;

// Rows of both at the same times, which ascend.
RowPairs common_rows(const Trajectory& a, const Trajectory& b) {
  RowPairs pairs;
  const double interval =
      a.rows() > 1 ? (a.row(a.rows() - 1)[0] - a.row(0)[0]) / static_cast<double>(a.rows() - 1) : 0;
  for (std::size_t i = 0, j = 0; i < a.rows() && j < b.rows();) {
    const double later = a.row(i)[0] - b.row(j)[0];
    if (std::abs(later) <= kSameTime * interval)
      pairs.emplace_back(i++, j++);
    else
      ++(later > 0 ? j : i);
  }
  return pairs;
}

double range_of(const Trajectory& rows, std::size_t column) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (std::size_t i = 0; i < rows.rows(); ++i)
    if (const double value = rows.row(i)[column]; std::isfinite(value)) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  return high > low ? high - low : 0;
}

double error_at(const Trajectory& errors, std::size_t row, std::size_t column) {
  return row < errors.rows() ? errors.row(row)[column] : kNone;
}

// One column, at the rows that both have.
ColumnDifference column_difference(const ResultsTable& a, std::size_t ca, const ResultsTable& b,
                                   std::size_t cb, const RowPairs& pairs, const DiffTolerance& allowed) {
  ColumnDifference out{
      .name = a.rows.channels[ca].name, .unit = a.rows.channels[ca].unit, .of_errors = kNone};
  const double range = std::max(range_of(a.rows, ca), range_of(b.rows, cb));
  for (const auto& [i, j] : pairs) {
    const double one = a.rows.row(i)[ca], other = b.rows.row(j)[cb], t = a.rows.row(i)[0];
    const bool missing = std::isnan(one) != std::isnan(other);
    const double apart = std::isnan(one) || std::isnan(other) ? 0 : std::abs(one - other);
    const double stated = error_at(a.errors, i, ca) + error_at(b.errors, j, cb);
    const double most =
        std::max(allowed.of_range * range, allowed.within_errors && std::isfinite(stated) ? stated : 0.0);
    if ((missing || apart > most) && out.is_same) {
      out.is_same = false;
      out.first = t;
    }
    out.missing_in_one = out.missing_in_one || missing;
    if (apart > out.largest) {
      out.largest = apart;
      out.at = t;
    }
    if (stated > 0) out.of_errors = std::fmax(out.of_errors, apart / stated);
  }
  out.of_range = out.largest == 0 ? 0
                 : range > 0      ? out.largest / range
                                  : std::numeric_limits<double>::infinity();
  return out;
}

std::vector<std::string> names_only_in(const Trajectory& a, const Trajectory& b) {
  std::vector<std::string> names;
  for (const Channel& channel : a.channels)
    if (b.find(channel.name) < 0) names.push_back(channel.name);
  return names;
}

nlohmann::ordered_json number_or_null(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
}

std::string part(double value) { return std::isfinite(value) ? fmt::format("{:.2g}", value) : "–"; }

}  // namespace

bool ResultsDifference::is_same() const {
  return only_a.empty() && only_b.empty() && rows == rows_a && rows == rows_b &&
         std::ranges::all_of(columns, &ColumnDifference::is_same);
}

ResultsDifference difference(const ResultsTable& a, const ResultsTable& b, const DiffTolerance& allowed) {
  const RowPairs pairs = common_rows(a.rows, b.rows);
  if (pairs.empty())
    throw std::invalid_argument(fmt::format(
        "'{}' and '{}' have no time in common; run one of them with the output interval of the other", a.name,
        b.name));
  ResultsDifference out{a.name,
                        b.name,
                        pairs.size(),
                        a.rows.rows(),
                        b.rows.rows(),
                        {},
                        names_only_in(a.rows, b.rows),
                        names_only_in(b.rows, a.rows)};
  for (std::size_t c = 1; c < a.rows.channels.size(); ++c)
    if (const int other = b.rows.find(a.rows.channels[c].name); other >= 0)
      out.columns.push_back(column_difference(a, c, b, static_cast<std::size_t>(other), pairs, allowed));
  return out;
}

std::string difference_text(const ResultsDifference& found) {
  std::string text;
  const auto differing = std::ranges::count_if(found.columns, [](const auto& c) { return !c.is_same; });
  if (found.rows != found.rows_a || found.rows != found.rows_b)
    text += fmt::format("{} rows and {} rows; compared at the {} times that both have\n", found.rows_a,
                        found.rows_b, found.rows);
  for (const auto& [names, file] : {std::pair(&found.only_a, &found.a), std::pair(&found.only_b, &found.b)})
    if (!names->empty()) text += fmt::format("only in {}: {}\n", *file, fmt::join(*names, ", "));
  if (differing == 0)
    return text + fmt::format("{} in {} are the same\n",
                              plural(static_cast<long>(found.columns.size()), "column"),
                              plural(static_cast<long>(found.rows), "row"));
  text += fmt::format("{} of {} differ\n{:<28}{:>14} {:<8}{:>10}{:>10}{:>13}{:>13}\n", differing,
                      plural(static_cast<long>(found.columns.size()), "column"), "column", "largest", "",
                      "of range", "of errors", "at t [s]", "first t [s]");
  for (const ColumnDifference& c : found.columns)
    if (!c.is_same)
      text += fmt::format("{:<28}{:>14.6g} {:<8}{:>10}{:>10}{:>13.6g}{:>13.6g}{}\n", c.name, c.largest,
                          c.unit, part(c.of_range), part(c.of_errors), c.at, c.first,
                          c.missing_in_one ? "  missing in one of them" : "");
  return text;
}

nlohmann::ordered_json difference_json(const ResultsDifference& found) {
  nlohmann::ordered_json columns = nlohmann::ordered_json::array();
  for (const ColumnDifference& c : found.columns)
    columns.push_back({{"name", c.name},
                       {"unit", c.unit},
                       {"same", c.is_same},
                       {"largest", c.largest},
                       {"of_range", number_or_null(c.of_range)},
                       {"of_errors", number_or_null(c.of_errors)},
                       {"at", c.at},
                       {"first", c.is_same ? nlohmann::ordered_json() : nlohmann::ordered_json(c.first)},
                       {"missing_in_one", c.missing_in_one}});
  return {{"same", found.is_same()}, {"a", found.a},           {"b", found.b},
          {"rows", found.rows},      {"rows_a", found.rows_a}, {"rows_b", found.rows_b},
          {"only_a", found.only_a},  {"only_b", found.only_b}, {"columns", columns}};
}

}  // namespace trammel::results
