#include "report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <sstream>

#include "code.h"
#include "tests/source_dir.h"
#include "verdicts.h"

namespace trammel::bench {
namespace {

double cost(const Row& row) {
  if (row.accuracy == "step") return row.instructions_per_step.value_or(*row.us_per_step);
  return row.accuracy == "growth" ? *row.us_per_step : *row.ms_per_simulated_second;
}

// Three digits at most, no exponents where a person reads a time.
std::string number(const std::optional<double>& x) {
  if (!x || !std::isfinite(*x)) return "–";
  const double size = std::abs(*x);
  if (size >= 100) return fmt::format("{:.0f}", *x);
  return size >= 1e-3 ? fmt::format("{:.3g}", *x) : fmt::format("{:.1e}", *x);
}
std::string count(const std::optional<double>& x) {
  if (!x) return "–";
  std::string digits = fmt::format("{:.0f}", *x);
  for (auto at = static_cast<long>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

using Cells = std::vector<std::string>;

// Columns as wide as they must be, or Markdown.
std::string table(const Cells& header, const std::vector<Cells>& lines, bool markdown) {
  std::ostringstream out;
  const auto width = [](const std::string& text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
  };
  std::vector<std::size_t> widths;
  for (std::size_t k = 0; k < header.size(); ++k) {
    widths.push_back(width(header[k]));
    for (const Cells& line : lines) widths[k] = std::max(widths[k], width(line[k]));
  }
  const auto write = [&](const Cells& line) {
    if (markdown) {
      out << "| " << fmt::format("{}", fmt::join(line, " | ")) << " |\n";
      return;
    }
    for (std::size_t k = 0; k < line.size(); ++k)
      out << line[k] << std::string(k + 1 < line.size() ? widths[k] - width(line[k]) + 2 : 0, ' ');
    out << "\n";
  };
  write(header);
  if (markdown) write(Cells(header.size(), "---"));
  for (const Cells& line : lines) write(line);
  return out.str();
}

std::vector<const Row*> among(const std::vector<Row>& rows, const std::function<bool(const Row&)>& wanted) {
  std::vector<const Row*> found;
  for (const Row& row : rows)
    if (wanted(row)) found.push_back(&row);
  return found;
}

// Problems in the order in which they were measured.
std::vector<std::string> problems_of(const std::vector<const Row*>& rows) {
  std::vector<std::string> names;
  for (const Row* row : rows)
    if (std::find(names.begin(), names.end(), row->problem) == names.end()) names.push_back(row->problem);
  return names;
}

std::string accuracy_table(const std::vector<const Row*>& rows, bool markdown) {
  std::vector<Cells> lines;
  for (const Row* row : rows) {
    if (!row->met()) {
      lines.push_back({row->solver, "–", "–", "–", "–", "–", row->note});
      continue;
    }
    lines.push_back({row->solver, number(row->ms_per_simulated_second), number(row->us_per_step),
                     count(row->instructions_per_step), number(row->ratio_to_yardstick),
                     number(row->ratio_to_best_peer),
                     fmt::format("{} (energy {:.1e}, gap {:.1e}, trajectory {:.1e})", row->setting(),
                                 row->energy_error.value_or(0), row->gap.value_or(0),
                                 row->trajectory_error.value_or(0))});
  }
  return table(
      {"code", "ms/s", "µs/step", "instructions/step", "× yardstick", "× best peer", "cheapest setting"},
      lines, markdown);
}

std::string step_table(const std::vector<const Row*>& rows, bool markdown) {
  std::vector<Cells> lines;
  for (const Row* row : rows)
    lines.push_back({row->problem, row->solver, row->met() ? row->setting() : row->note,
                     number(row->us_per_step), count(row->instructions_per_step),
                     number(row->ratio_to_yardstick)});
  return table({"problem", "code", "method", "µs/step", "instructions/step", "× yardstick"}, lines, markdown);
}

std::string growth_table(const std::vector<const Row*>& rows, bool markdown) {
  std::vector<Cells> lines;
  for (const Row* row : rows)
    lines.push_back({row->problem, row->solver, row->rule, row->met() ? number(row->us_per_step) : row->note,
                     count(row->instructions_per_step), count(row->bytes_per_body), number(row->start_ms),
                     number(row->ratio_to_yardstick), number(row->ratio_to_best_peer)});
  return table({"problem", "code", "method", "µs/step", "instructions/step", "bytes/body", "start-up, ms",
                "× yardstick", "× best peer"},
               lines, markdown);
}

std::string exponent_table(const std::vector<const Row*>& rows, bool markdown) {
  std::vector<Cells> lines;
  for (const Row* row : rows)
    lines.push_back(
        {row->problem, row->solver, row->rule, number(row->exponent), number(row->instruction_exponent)});
  return table({"family", "code", "method", "exponent of time", "of instructions"}, lines, markdown);
}

std::string verdict_table(const std::vector<Verdict>& verdicts, bool markdown) {
  std::vector<Cells> lines;
  for (const Verdict& v : verdicts)
    lines.push_back({v.goal, v.measured,
                     v.reached  ? "reached"
                     : markdown ? "**not reached**"
                                : "not reached"});
  return table({"goal", "measured", ""}, lines, markdown);
}

std::string body(const std::vector<Row>& rows, bool markdown) {
  std::string text;
  const auto title = [&](const std::string& words, int level) {
    const char* before = text.ends_with("\n\n") ? "" : "\n";
    text += markdown
                ? fmt::format("{}{} {}\n\n", before, std::string(static_cast<std::size_t>(level), '#'), words)
                : fmt::format("\n{}\n", words);
  };
  if (const std::vector<Verdict> goals = verdicts(rows); !goals.empty()) {
    title("Goals", 2);
    text += verdict_table(goals, markdown);
  }
  const auto steps = among(rows, [](const Row& r) { return r.accuracy == "step"; });
  if (!steps.empty()) {
    title("One step: Trammel's default method and the same algorithm written by hand", 2);
    text += step_table(steps, markdown);
  }
  for (const char* accuracy : {"engineering", "precise"}) {
    const auto judged = among(rows, [&](const Row& r) { return r.accuracy == accuracy; });
    if (judged.empty()) continue;
    title(fmt::format("{} accuracy: the cheapest setting of each code",
                      std::string(accuracy) == "precise" ? "Precise" : "Engineering"),
          2);
    for (const std::string& problem : problems_of(judged)) {
      title(problem, 3);
      text += accuracy_table(
          among(rows, [&](const Row& r) { return r.accuracy == accuracy && r.problem == problem; }),
          markdown);
    }
  }
  const auto grown = among(rows, [](const Row& r) { return r.accuracy == "growth" && !r.exponent; });
  if (!grown.empty()) {
    title("Growth with the number of bodies", 2);
    text += growth_table(grown, markdown);
    title("Exponents of the growth, of rows of four-bars from 40 and of chains from 100 bodies on", 2);
    text += exponent_table(among(rows, [](const Row& r) { return r.exponent.has_value(); }), markdown);
  }
  return text;
}

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown processor";
}

}  // namespace

void compare(std::vector<Row>& rows) {
  for (Row& row : rows) {
    if (!row.met()) continue;
    for (const Row& other : rows) {
      if (!other.met() || other.problem != row.problem || other.accuracy != row.accuracy) continue;
      const double ratio = cost(row) / cost(other);
      if (other.solver == "yardstick") row.ratio_to_yardstick = ratio;
      if (other.is_peer && (!row.ratio_to_best_peer || ratio > *row.ratio_to_best_peer))
        row.ratio_to_best_peer = ratio;
    }
  }
}

nlohmann::ordered_json json(const std::vector<Row>& rows) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array(), goals = list;
  for (const Row& row : rows) list.push_back(to_json(row));
  for (const Verdict& v : verdicts(rows))
    goals.push_back({{"goal", v.goal}, {"measured", v.measured}, {"reached", v.reached}});
  return {{"rows", list}, {"goals", goals}};
}

std::string tables(const std::vector<Row>& rows) {
  std::string text = body(rows, false);
  for (const std::string& name : missing_peers())
    text += fmt::format("\n{} was not there when this was built: make bench\n", name);
  return text;
}

std::string page(const std::vector<Row>& rows) {
  const std::string source = kSourceDir;
  const auto read = [&](const std::string& name) {
    std::ifstream file(source + name);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  std::string text = read("/bench/page-head.md");
  text += fmt::format("\nMeasured on: {}, one core; {}.\n", processor(), "g++ " __VERSION__);
  for (const std::string& name : missing_peers()) text += fmt::format("{} was not installed.\n", name);
  return text + body(rows, true) + "\n" + read("/docs/performance-notes.md");
}

}  // namespace trammel::bench
