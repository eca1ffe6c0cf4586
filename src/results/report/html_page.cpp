#include "results/report/html_page.h"

#include <algorithm>

#include "results/plot/markup.h"
#include "results/plot/svg_plot.h"

namespace trammel::results {
namespace {

constexpr const char* kStyle = R"css(
body { max-width: 1160px; margin: 2rem auto; padding: 0 1.2rem; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin-bottom: 0.2rem; }
h2 { font-size: 1.15rem; margin: 2rem 0 0.5rem; }
p, li { max-width: 56rem; }
.plan, .small { color: var(--faint); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
th, td { padding: 0.28rem 0.5rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--grid); }
th { color: var(--faint); font-weight: 600; vertical-align: bottom; }
td.left, th.left { text-align: left; }
td.ok { color: var(--c2); } td.marked, td.limited, td.lost { color: var(--c4); } td.failed, td.refused { color: var(--c1); }
details { margin-top: 1rem; } summary { cursor: pointer; }
@media print { body { margin: 0; max-width: none; font-size: 11px; } table { font-size: 9px; }
  th, td { padding: 0.15rem 0.3rem; } svg.plot, tr { break-inside: avoid; } }
)css";

}  // namespace

std::string html_page(const std::string& title, const std::string& body) {
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta name=\"color-scheme\" content=\"light dark\">\n<title>" +
         escaped(title) + "</title>\n<style>\n" + plot_style() + kStyle + "</style>\n</head>\n<body>\n<h1>" +
         escaped(title) + "</h1>\n" + body + "</body>\n</html>\n";
}

std::string html_paragraphs(const std::string& text) {
  std::string out;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find('\n', from), text.size());
    out += "<p>" + escaped(text.substr(from, to - from)) + "</p>\n";
    from = to + 1;
  }
  return out;
}

std::string html_table(const std::vector<std::string>& head,
                       const std::vector<std::vector<std::string>>& rows,
                       const std::vector<std::size_t>& left) {
  const auto line = [&](const std::vector<std::string>& cells, const char* tag) {
    std::string out = "<tr>";
    for (std::size_t k = 0; k < cells.size(); ++k) {
      const bool at_left = std::ranges::find(left, k) != left.end();
      out += std::string("<") + tag + (at_left ? " class=\"left\">" : ">") + escaped(cells[k]) + "</" + tag +
             ">";
    }
    return out + "</tr>\n";
  };
  std::string out = "<div class=\"wide\"><table>\n" + line(head, "th");
  for (const std::vector<std::string>& row : rows) out += line(row, "td");
  return out + "</table></div>\n";
}

}  // namespace trammel::results
