#include "reproduce/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace trammel::reproduce {
namespace {

using Json = nlohmann::ordered_json;

std::string with_unit(const std::string& figure, const std::string& unit, bool is_number) {
  return unit.empty() || !is_number ? figure : figure + " " + unit;
}

// Letters, not bytes.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string padded(const std::string& text, std::size_t size) {
  return text + std::string(size > width(text) ? size - width(text) : 0, ' ');
}

// A check has nothing published.
std::string published_of(const RowResult& row) {
  if (row.row.is_check()) return fmt::format("– (check: at most {:.0e})", row.row.bound);
  return with_unit(row.row.published, row.row.unit, parse_printed(row.row.published).has_value());
}

std::string row_name(const Item& item, const Row& row) {
  if (item.columns.empty()) return row.label;
  return row.label + ", " + row.key.substr(row.key.rfind('/') + 1);
}

Json settings_json(const Item& item) {
  Json assumed = Json::array();
  for (const Assumption& a : item.assumed) assumed.push_back({{"what", a.what}, {"why", a.why}});
  return {{"model", item.model}, {"stated", item.stated}, {"assumed", assumed}};
}

}  // namespace

std::string reproduction_text(const std::vector<PaperResult>& results) {
  std::string out;
  for (const PaperResult& paper : results) {
    out += fmt::format("{}: {}\n", paper.paper.authors, paper.paper.title);
    for (const ItemResult& item : paper.items) {
      out += fmt::format("\n  {}  {} ({})\n", item.item.id(), item.item.title, item.item.where);
      std::size_t name = 4, published = 9, ours = 4;
      for (const RowResult& row : item.rows) {
        name = std::max(name, width(row_name(item.item, row.row)));
        published = std::max(published, width(published_of(row)));
        ours = std::max(ours, width(row.ours) + width(row.row.unit) + 1);
      }
      out += fmt::format("    {} | {} | {} | verdict\n", std::string(name, ' '),
                         padded("published", published), padded("ours", ours));
      for (const RowResult& row : item.rows) {
        const bool explain = row.judgement.verdict == Verdict::not_reproduced ||
                             row.judgement.verdict == Verdict::not_run ||
                             row.judgement.verdict == Verdict::failed;
        out += fmt::format(
            "    {} | {} | {} | {}{}\n", padded(row_name(item.item, row.row), name),
            padded(published_of(row), published),
            padded(with_unit(row.ours, row.row.unit, row.measured.text.empty() && row.ours != "–"), ours),
            row.verdict, explain && !row.note.empty() ? ": " + row.note : "");
      }
    }
    out += "\n";
  }
  return out;
}

Json reproduction_json(const std::vector<PaperResult>& results) {
  Json all = Json::array();
  for (const PaperResult& paper : results)
    for (const ItemResult& item : paper.items)
      for (const RowResult& row : item.rows) {
        Json j = {{"paper", paper.paper.name},
                  {"item", item.item.name + "/" + row.row.key},
                  {"where", item.item.where},
                  {"label", row_name(item.item, row.row)},
                  {"published", row.row.is_check() ? "–" : row.row.published},
                  {"unit", row.row.unit},
                  {"ours", row.ours},
                  {"verdict", row.verdict},
                  {"recorded", row.recorded},
                  {"note", row.note}};
        j["value"] = std::isfinite(row.measured.value) ? Json(row.measured.value) : Json();
        j["relative_difference"] =
            std::isfinite(row.judgement.difference) ? Json(row.judgement.difference) : Json();
        if (row.row.is_check()) j["check"] = {{"bound", row.row.bound}, {"why", row.row.why}};
        if (!row.row.fitted.empty()) j["fitted"] = row.row.fitted;
        if (row.row.noise > 0) j["tolerance"] = {{"value", row.row.noise}, {"why", row.row.why}};
        Json beside = Json::object();
        for (const auto& [name, figure] : row.measured.beside) beside[name] = figure;
        j["beside"] = beside;
        if (!row.measured.repaired.empty()) j["repaired"] = row.measured.repaired;
        j["settings"] = settings_json(item.item);
        all.push_back(std::move(j));
      }
  return all;
}

}  // namespace trammel::reproduce
