#include "model/import/model_names.h"

#include <fmt/format.h>

#include <cctype>

#include "model/reader/context.h"

namespace trammel::model {
std::string as_identifier(const std::string& text) {
  std::string name;
  for (const char c : text) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  if (name.empty() || std::isalpha(static_cast<unsigned char>(name[0])) == 0) name.insert(0, "n");
  return name;
}

std::string ModelNames::take(const std::string& wanted, const std::string& suffix) {
  const std::string plain = as_identifier(wanted);
  std::string name = plain;
  const auto is_free = [&] { return !is_reserved(name) && !taken_.contains(name); };
  if (!is_free()) name = plain + suffix;
  for (int i = 2; !is_free(); ++i) name = fmt::format("{}{}_{}", plain, suffix, i);
  taken_.insert(name);
  return name;
}

}  // namespace trammel::model
