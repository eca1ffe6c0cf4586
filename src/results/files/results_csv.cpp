// Results as comma-separated values (RFC 4180, lines ending in a line feed), for spreadsheets and scripts.
//
//   t [s],crank.x [m],A.force.x [N]
//   0,0.20000000000000001,
//
// 17 significant digits: every value is read back to the same bits. A missing value is an empty field.
#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <string>
#include <string_view>

#include "results/files/results_file.h"
#include "results/files/results_log.h"
#include "trammel/results.h"

namespace trammel {

namespace {

constexpr int kDigits = 17;
constexpr std::size_t kBufferBytes = 65536;

void append_text(std::string& line, std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    line += text;
    return;
  }
  line += '"';
  for (const char c : text) {
    if (c == '"') line += '"';
    line += c;
  }
  line += '"';
}

void append_value(std::string& line, double value) {
  if (std::isnan(value)) return;  // missing
  std::array<char, 32> digits{};  // sign, 17 digits, point and "e-308" are 24
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::general, kDigits);
  line.append(digits.data(), end.ptr);
}

void append_header(std::string& text, std::span<const Channel> channels) {
  for (std::size_t i = 0; i < channels.size(); ++i) {
    if (i > 0) text += ',';
    const std::string& unit = channels[i].unit;
    append_text(text, unit.empty() ? channels[i].name : channels[i].name + " [" + unit + "]");
  }
  text += '\n';
}

void append_row(std::string& text, std::span<const double> row) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i > 0) text += ',';
    append_value(text, row[i]);
  }
  text += '\n';
}

}  // namespace

void write_csv(const std::filesystem::path& path, const Trajectory& trajectory) {
  results::PartialFile partial(path);
  results::OutputFile file(partial.path(), path);
  std::string text;
  append_header(text, trajectory.channels);
  for (std::size_t i = 0; i < trajectory.rows(); ++i) {
    results::require_valid(trajectory.channels, trajectory.row(i));
    append_row(text, trajectory.row(i));
    if (text.size() < kBufferBytes) continue;
    file.write(text);
    text.clear();
  }
  file.write(text);
  file.close();
  partial.commit();
}

}  // namespace trammel
