#include "expressions/nearest_name.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <limits>
#include <utility>

namespace trammel::expressions {
namespace {

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::size_t distance(const std::string& a, const std::string& b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> above2(width), above(width), row(width);
  for (std::size_t j = 0; j < width; ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j < width; ++j) {
      const std::size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], above2[j - 2] + 1);
    }
    above2.swap(above);
    above.swap(row);
  }
  return above.back();
}

}  // namespace

std::string nearest_name(const std::string& unknown, const std::vector<std::string>& known) {
  constexpr std::size_t kFar = std::numeric_limits<std::size_t>::max();
  std::string nearest;
  std::pair least{kFar, kFar};
  for (const std::string& name : known) {
    // Each character that one has more than the other is an edit, so that a very long text is told at once.
    const auto [shorter, longer] = std::minmax({unknown.size(), name.size()});
    if (longer - shorter > longer / 3) continue;
    const std::size_t edits = distance(lower(unknown), lower(name));
    if (edits > longer / 3) continue;
    const std::pair candidate{edits, distance(unknown, name)};
    if (candidate >= least) continue;
    least = candidate;
    nearest = name;
  }
  return nearest;
}

std::string choice_advice(const std::string& unknown, const std::vector<std::string>& known) {
  const std::string nearest = nearest_name(unknown, known);
  return fmt::format("{}: {}",
                     nearest.empty() ? "choose one of" : fmt::format("did you mean '{}'? There are", nearest),
                     fmt::join(known, ", "));
}

std::string name_advice(const std::string& unknown, const std::vector<std::string>& known) {
  constexpr std::size_t kFew = 12;
  if (known.empty()) return "there are none";
  if (known.size() <= kFew) return choice_advice(unknown, known);
  const auto part = [](const std::string& name) { return name.substr(0, name.find('.')); };
  std::vector<std::string> shown;
  for (const std::string& name : known)
    if (part(name) == part(unknown)) shown.push_back(name);
  const std::string nearest = nearest_name(unknown, known);
  const std::string guess = nearest.empty() ? "" : fmt::format("did you mean '{}'?", nearest);
  if (shown.empty() && !guess.empty()) return guess;
  const std::string what =
      shown.empty() ? fmt::format("{}", known.size()) : fmt::format("of '{}'", part(unknown));
  if (shown.empty()) shown = known;
  const char* more = shown.size() > kFew ? ", …" : "";
  shown.resize(std::min(shown.size(), kFew));
  return fmt::format("{}here are {}: {}{}", guess.empty() ? "t" : guess + " T", what, fmt::join(shown, ", "),
                     more);
}

}  // namespace trammel::expressions
