#include "sweep/run_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "sweep/distribution.h"

namespace trammel::sweep {
namespace {

std::string bare(std::string_view field) {
  const auto first = field.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  field = field.substr(first, field.find_last_not_of(" \t\r") - first + 1);
  if (field.size() >= 2 && field.front() == '"' && field.back() == '"')
    field = field.substr(1, field.size() - 2);
  return std::string(field);
}

std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields;
  for (;;) {
    const std::size_t comma = line.find(',');
    fields.push_back(bare(line.substr(0, comma)));
    if (comma == std::string_view::npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

struct Line {
  std::size_t number;
  std::vector<std::string> fields;
};

std::vector<Line> lines_of(const std::string& text) {
  std::vector<Line> lines;
  std::size_t number = 0;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find('\n', from), text.size());
    const std::string_view line = std::string_view(text).substr(from, to - from);
    ++number;
    if (const std::string content = bare(line); !content.empty() && content.front() != '#')
      lines.push_back({number, fields_of(line)});
    from = to + 1;
  }
  return lines;
}

// "L [mm]": the name, and what a number of the column is in SI units.
struct Column {
  std::string name, unit;
};

Column column_of(const std::string& head) {
  const std::size_t open = head.find('[');
  if (open == std::string::npos || !head.ends_with(']')) return {head, ""};
  return {bare(std::string_view(head).substr(0, open)), head.substr(open + 1, head.size() - open - 2)};
}

}  // namespace

RunTable read_run_table(const std::string& text, const std::string& shown) {
  const std::vector<Line> lines = lines_of(text);
  const auto fail = [&](std::size_t line, const std::string& what) {
    throw std::invalid_argument(fmt::format("{}:{}: {}", shown, line, what));
  };
  if (lines.empty()) fail(1, "the file is empty; give a line of parameter names, then a line for each run");
  RunTable table;
  std::vector<std::string> units;
  for (std::size_t k = 0; k < lines.front().fields.size(); ++k) {
    const Column column = column_of(lines.front().fields[k]);
    if (column.name.empty())
      fail(lines.front().number, fmt::format("column {} has no name; name a parameter of the model", k + 1));
    if (std::ranges::count(table.names, column.name) > 0)
      fail(lines.front().number, fmt::format("'{}' is there twice; keep one of the columns", column.name));
    table.names.push_back(column.name);
    units.push_back(column.unit);
  }
  if (lines.size() == 1) fail(lines.front().number, "there is no run below the names; add a line of numbers");
  for (std::size_t row = 1; row < lines.size(); ++row) {
    const Line& line = lines[row];
    if (line.fields.size() != table.names.size())
      fail(line.number, fmt::format("the line has {} values for {} names; give each run a value of each",
                                    line.fields.size(), table.names.size()));
    for (std::size_t k = 0; k < table.names.size(); ++k) {
      if (line.fields[k].empty())
        fail(line.number, fmt::format("'{}' has no value in this line; give a number", table.names[k]));
      try {
        table.values.push_back(
            read_quantity(units[k].empty() ? line.fields[k] : line.fields[k] + " " + units[k], std::nullopt));
      } catch (const std::invalid_argument& error) {
        fail(line.number, fmt::format("'{}': {}", table.names[k], error.what()));
      }
    }
  }
  return table;
}

std::string read_text_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (std::filesystem::is_directory(path))
    throw std::runtime_error(fmt::format("'{}' is a folder; name the file in it", path.string()));
  if (!file)
    throw std::runtime_error(fmt::format("cannot read '{}'; check the name and the folder", path.string()));
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace trammel::sweep
