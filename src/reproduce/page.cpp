// The validation page: summary, then each paper with its tables and figures.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "reproduce/report.h"
#include "results/plot/markup.h"

namespace trammel::reproduce {
namespace {

constexpr const char* kStyle = R"css(
:root { --good: #0b7a4b; --near: #2c6fbb; --kind: #8a6100; --bad: #b3261e; --off: #6b7680; --panel: #f6f8fa; }
@media screen and (prefers-color-scheme: dark) {
  :root { --good: #4fce95; --near: #7db8f5; --kind: #e3b341; --bad: #ff8a80; --off: #9aa4af; --panel: #1c2127; } }
body { max-width: 1180px; margin: 0 auto; padding: 2rem 1.4rem 4rem; background: var(--page); color: var(--ink);
  font: 15px/1.55 system-ui, sans-serif; }
h1 { font-size: 1.9rem; margin: 0 0 0.3rem; letter-spacing: -0.01em; }
h2 { font-size: 1.35rem; margin: 3.2rem 0 0.1rem; padding-top: 1.2rem; border-top: 2px solid var(--ink); }
h3 { font-size: 1.05rem; margin: 2.2rem 0 0.2rem; }
h3 .where { color: var(--faint); font-weight: 400; margin-left: 0.5rem; }
p, li { max-width: 58rem; }
a { color: inherit; }
.lead { font-size: 1.05rem; max-width: 54rem; }
.source, .small { color: var(--faint); font-size: 13px; }
.wide { overflow-x: auto; margin: 0.6rem 0; }
table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
th, td { padding: 0.3rem 0.6rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--grid); }
th { color: var(--faint); font-weight: 600; border-bottom: 1px solid var(--faint); }
td.number, th.number { text-align: right; white-space: nowrap; }
td.note { color: var(--faint); max-width: 30rem; }
.verdict { white-space: nowrap; font-weight: 600; }
.reproduced { color: var(--good); } .within { color: var(--near); } .same { color: var(--kind); }
.not { color: var(--bad); } .checked { color: var(--good); font-weight: 400; } .off { color: var(--off); }
.pair { display: grid; grid-template-columns: auto auto; gap: 0 0.6rem; white-space: nowrap; }
.pair .ours { font-weight: 600; }
.bar { display: flex; height: 0.9rem; min-width: 16rem; border-radius: 3px; overflow: hidden; background: var(--grid); }
.bar span { display: block; } .bar .reproduced { background: var(--good); } .bar .within { background: var(--near); }
.bar .same { background: var(--kind); } .bar .not { background: var(--bad); } .bar .off { background: var(--off); }
.key span::before { content: "■ "; } .key span { margin-right: 1.1rem; white-space: nowrap; }
details { margin: 0.3rem 0 0.5rem; } summary { cursor: pointer; color: var(--faint); font-size: 13px; }
details ul { margin: 0.3rem 0; padding-left: 1.2rem; font-size: 13px; }
.remark { background: var(--panel); border-left: 3px solid var(--grid); padding: 0.5rem 0.8rem; font-size: 14px; }
.defect { border: 1px solid var(--grid); border-radius: 6px; padding: 0 1rem 0.6rem; margin-top: 1.6rem; }
.plots { display: grid; grid-template-columns: repeat(auto-fill, minmax(24rem, 1fr)); gap: 0.8rem 1.2rem; margin: 0.8rem 0; }
figure { margin: 0; } figcaption { font-size: 13px; font-weight: 600; }
@media print { body { max-width: none; padding: 0; font-size: 11px; } figure, tr { break-inside: avoid; } }
)css";

// Checks are counted beside the published figures, not among them.
enum Kind { kReproduced, kWithin, kSame, kNot, kOff, kFigures, kChecked = kFigures, kKinds };
constexpr std::array<const char*, kKinds> kClasses = {"reproduced", "within", "same",
                                                      "not",        "off",    "checked"};
constexpr std::array<const char*, kKinds> kMeanings = {"reproduced",     "within x %", "same behaviour",
                                                       "not reproduced", "not run",    "checked"};

Kind kind_of(const RowResult& row) {
  switch (row.judgement.verdict) {
    case Verdict::checked:
      return kChecked;
    case Verdict::reproduced:
      return kReproduced;
    case Verdict::within:
      return kWithin;
    case Verdict::same_behaviour:
      return kSame;
    case Verdict::not_run:
      return kOff;
    default:
      return kNot;
  }
}

using Counts = std::array<int, kKinds>;

Counts count(const PaperResult& paper) {
  Counts counts{};
  for (const ItemResult& item : paper.items)
    for (const RowResult& row : item.rows) ++counts[static_cast<std::size_t>(kind_of(row))];
  return counts;
}

int figures(const Counts& counts) {
  int sum = 0;
  for (std::size_t k = 0; k < kFigures; ++k) sum += counts[k];
  return sum;
}

std::string bar(const Counts& counts) {
  std::string out = "<div class=\"bar\">";
  for (std::size_t k = 0; k < kFigures; ++k)
    if (counts[k] > 0)
      out += fmt::format("<span class=\"{}\" style=\"width:{:.2f}%\" title=\"{} {}\"></span>", kClasses[k],
                         100.0 * counts[k] / figures(counts), counts[k], kMeanings[k]);
  return out + "</div>";
}

std::string summary(const std::vector<PaperResult>& results) {
  std::string out = "<div class=\"wide\"><table>\n<tr><th>document</th><th class=\"number\">figures</th>";
  for (const char* meaning : kMeanings) out += fmt::format("<th class=\"number\">{}</th>", meaning);
  out += "<th></th></tr>\n";
  for (const PaperResult& paper : results) {
    const Counts counts = count(paper);
    out += fmt::format("<tr><td><a href=\"#{}\">{}</a></td><td class=\"number\">{}</td>", paper.paper.name,
                       results::escaped(paper.paper.authors), figures(counts));
    for (std::size_t k = 0; k < kKinds; ++k)
      out += fmt::format("<td class=\"number {}\">{}</td>", counts[k] > 0 ? kClasses[k] : "", counts[k]);
    out += "<td>" + bar(counts) + "</td></tr>\n";
  }
  return out + "</table></div>\n";
}

std::string verdict_cell(const RowResult& row) {
  return fmt::format("<span class=\"verdict {}\">{}</span>", kClasses[static_cast<std::size_t>(kind_of(row))],
                     results::escaped(row.verdict));
}

std::string with_unit(const std::string& text, const RowResult& row, bool is_number) {
  return results::escaped(is_number && !row.row.unit.empty() ? text + " " + row.row.unit : text);
}

std::string published_text(const RowResult& row) {
  if (row.row.is_check()) return with_unit(fmt::format("check: at most {:.0e}", row.row.bound), row, true);
  return with_unit(row.row.published, row,
                   parse_printed(row.row.published).has_value() || row.row.published.starts_with("<"));
}
std::string ours_text(const RowResult& row) {
  return with_unit(row.ours, row, row.measured.text.empty() && row.ours != "–");
}

std::string explanation(const RowResult& row) {
  std::string out;
  for (const auto& [name, figure] : row.measured.beside)
    out += fmt::format("<div>{}: <b>{}</b></div>", results::escaped(name), results::escaped(figure));
  if (kind_of(row) == kChecked) out += fmt::format("<div>{}</div>", results::escaped(row.row.why));
  if (!row.row.fitted.empty()) out += fmt::format("<div>fitted: {}</div>", results::escaped(row.row.fitted));
  if (kind_of(row) != kReproduced && kind_of(row) != kChecked && !row.note.empty())
    out += fmt::format("<div>{}</div>", results::escaped(row.note));
  if (kind_of(row) == kReproduced && row.row.noise > 0 && row.judgement.difference > 0)
    out += fmt::format("<div>differs by {:.0e} of it; {}</div>", row.judgement.difference,
                       results::escaped(row.row.why));
  return out;
}

bool is_defect(const Item& item) { return item.name.starts_with("defect"); }

// Of a defect of a published scheme: as printed and repaired, side by side.
std::string list_table(const ItemResult& item) {
  const bool defect = is_defect(item.item);
  std::string out = fmt::format(
      "<div "
      "class=\"wide\"><table>\n<tr><th></th><th>published</th><th>{}</th>{}<th>verdict</th><th></th></tr>\n",
      defect ? "as printed" : "ours", defect ? "<th>repaired</th>" : "");
  for (const RowResult& row : item.rows) {
    out += fmt::format("<tr><td>{}</td><td>{}</td><td><b>{}</b></td>", results::escaped(row.row.label),
                       published_text(row), ours_text(row));
    if (defect)
      out += fmt::format("<td class=\"reproduced\"><b>{}</b></td>", results::escaped(row.measured.repaired));
    out += fmt::format("<td>{}</td><td class=\"note\">{}</td></tr>\n", verdict_cell(row), explanation(row));
  }
  return out + "</table></div>\n";
}

// Of a table with columns: each cell the published figure above ours.
std::string grid_cell(const RowResult& row) {
  return fmt::format("<td title=\"{}\"><div>{}</div><div><b>{}</b></div>{}</td>",
                     results::escaped(row.judgement.verdict == Verdict::reproduced ? row.row.why : row.note),
                     published_text(row), ours_text(row), verdict_cell(row));
}

std::string grid_table(const ItemResult& item) {
  std::string out = "<div class=\"wide\"><table>\n<tr><th>published above ours</th>";
  for (const std::string& column : item.item.columns) out += "<th>" + results::escaped(column) + "</th>";
  out += "</tr>\n";
  for (std::size_t i = 0; i < item.rows.size();) {
    const std::string key = item.rows[i].row.key, base = key.substr(0, key.rfind('/'));
    out += "<tr><td>" + results::escaped(item.rows[i].row.label) + "</td>";
    for (const std::string& column : item.item.columns) {
      const bool here = i < item.rows.size() && item.rows[i].row.key == base + "/" + column;
      out += here ? grid_cell(item.rows[i]) : "<td></td>";
      if (here) ++i;
    }
    out += "</tr>\n";
  }
  return out + "</table></div>\n";
}

// Explanations of a table with columns, one for each that differs.
std::string grid_notes(const ItemResult& item) {
  std::vector<std::string> seen;
  std::string out;
  const auto add = [&](const std::string& line) {
    if (std::find(seen.begin(), seen.end(), line) != seen.end()) return;
    seen.push_back(line);
    out += "<li>" + line + "</li>\n";
  };
  for (const RowResult& row : item.rows) {
    for (const auto& [name, figure] : row.measured.beside)
      add(fmt::format("{}, {}: {}: <b>{}</b>", results::escaped(row.row.label),
                      results::escaped(row.row.key.substr(row.row.key.rfind('/') + 1)),
                      results::escaped(name), results::escaped(figure)));
    if (!row.row.fitted.empty())
      add(fmt::format("{}: fitted: {}", results::escaped(row.row.label), results::escaped(row.row.fitted)));
    if (kind_of(row) != kReproduced && !row.note.empty())
      add(fmt::format("{}: {}", results::escaped(row.row.label), results::escaped(row.note)));
  }
  return out.empty() ? out
                     : "<details><summary>Other readings, and where ours differs</summary><ul>\n" + out +
                           "</ul></details>\n";
}

std::string settings(const Item& item) {
  std::string out;
  for (const std::string& text : item.stated) out += "<li>stated: " + results::escaped(text) + "</li>\n";
  for (const Assumption& a : item.assumed)
    out +=
        fmt::format("<li>assumed: {}, because {}</li>\n", results::escaped(a.what), results::escaped(a.why));
  return out.empty()
             ? out
             : fmt::format(
                   "<details><summary>Settings: {} stated, {} assumed</summary><ul>\n{}</ul></details>\n",
                   item.stated.size(), item.assumed.size(), out);
}

std::string pictures(const ItemResult& item) {
  if (item.pictures.empty()) return {};
  std::string out = "<div class=\"plots\">\n";
  for (const Picture& picture : item.pictures)
    out += "<figure><figcaption>" + results::escaped(picture.title) + "</figcaption>\n" +
           results::svg(picture.plot) + "</figure>\n";
  return out + "</div>\n";
}

std::string item_html(const ItemResult& item) {
  const bool defect = is_defect(item.item);
  std::string out = fmt::format("<section id=\"{}\"{}>\n<h3>{}<span class=\"where\">{}</span></h3>\n",
                                results::escaped(item.item.id()), defect ? " class=\"defect\"" : "",
                                results::escaped(item.item.title), results::escaped(item.item.where));
  if (!item.item.remark.empty())
    out += "<p class=\"remark\">" + results::escaped(item.item.remark) + "</p>\n";
  out += item.item.columns.empty() ? list_table(item) : grid_table(item) + grid_notes(item);
  return out + pictures(item) + settings(item.item) + "</section>\n";
}

std::string paper_html(const PaperResult& paper) {
  std::string out = fmt::format("<h2 id=\"{}\">{}</h2>\n<p class=\"source\">{}{}{}</p>\n", paper.paper.name,
                                results::escaped(paper.paper.authors), results::escaped(paper.paper.title),
                                paper.paper.source.empty() ? "" : ". ", results::escaped(paper.paper.source));
  if (!paper.paper.about.empty()) out += "<p>" + results::escaped(paper.paper.about) + "</p>\n";
  for (const ItemResult& item : paper.items) out += item_html(item);
  return out;
}

std::string key() {
  std::string out = "<p class=\"key small\">";
  for (std::size_t k = 0; k < kKinds; ++k)
    out += fmt::format("<span class=\"{}\">{}</span>", kClasses[k], kMeanings[k]);
  return out + "</p>\n";
}

std::string defects(const std::vector<PaperResult>& results) {
  std::string out;
  for (const PaperResult& paper : results)
    for (const ItemResult& item : paper.items)
      if (is_defect(item.item))
        out += fmt::format("<li><a href=\"#{}\">{}</a> ({})</li>\n", results::escaped(item.item.id()),
                           results::escaped(item.item.title), results::escaped(paper.paper.authors));
  return out.empty()
             ? out
             : "<p>Defects of published schemes that were found, each beside its repair:</p>\n<ul>\n" + out +
                   "</ul>\n";
}

}  // namespace

std::string validation_page(const std::vector<PaperResult>& results) {
  Counts all{};
  for (const PaperResult& paper : results) {
    const Counts counts = count(paper);
    for (std::size_t k = 0; k < kKinds; ++k) all[k] += counts[k];
  }
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>Trammel: published figures, computed "
      "again</title>\n";
  out += "<style>\n" + results::plot_style() + kStyle +
         "</style>\n</head>\n<body>\n<h1>Published figures, computed again</h1>\n";
  out += fmt::format(
      "<p class=\"lead\">Every figure that five documents on constrained multibody dynamics publish, and "
      "benchmark problems with "
      "certified solutions, run by Trammel: {} figures, {} of them reproduced to the printed digits and {} "
      "more within 30 %; and {} checks against equations derived by hand.</p>\n",
      figures(all), all[kReproduced], all[kWithin], all[kChecked]);
  out +=
      "<p>A verdict is computed, never written by hand. <b>Reproduced</b>: the difference is at most half a "
      "unit of the last printed "
      "digit, plus what rounding or error control leaves where that is said; or a printed bound holds. "
      "<b>Within x %</b>: so far "
      "apart at most. <b>Same behaviour</b>: the order, growth law or ranking that the paper states holds, "
      "but not the figure, or there "
      "is no figure, or a setting was fitted to it. <b>Checked</b>: nobody has published it; ours agrees "
      "with "
      "equations derived by hand, a closed form or another formulation within a bound that says why it is so "
      "much. Such rows are not counted among the figures. What the paper leaves open and had to be assumed "
      "stands under each table, with the "
      "reason. Times are ratios.</p>\n";
  out += key() + summary(results) + defects(results);
  for (const PaperResult& paper : results) out += paper_html(paper);
  return out + "<p class=\"small\">Made by <code>trammel reproduce</code>.</p>\n</body>\n</html>\n";
}

}  // namespace trammel::reproduce
