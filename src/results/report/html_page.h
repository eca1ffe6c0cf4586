// Pages made here, without the viewer: their head and style, and parts that several have.
#pragma once

#include <string>
#include <vector>

namespace trammel::results {

// A whole page: plots (results/plot/svg_plot.h), tables and text.
std::string html_page(const std::string& title, const std::string& body);

// Each line of a text a paragraph.
std::string html_paragraphs(const std::string& text);

// A table; cells are text. Columns that `left` names are aligned to the left.
std::string html_table(const std::vector<std::string>& head,
                       const std::vector<std::vector<std::string>>& rows,
                       const std::vector<std::size_t>& left = {});

}  // namespace trammel::results
