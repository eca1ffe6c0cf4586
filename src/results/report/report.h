// report.html: a run as one self-contained page. Summary, curves, the motion in 3-D, model and plan.
#pragma once

#include <string>

#include "results/files/results_log.h"
#include "trammel/mechanism.h"
#include "trammel/results.h"

namespace trammel::results {

// At most so many rows, and `most_values` numbers in all (kReportValues, of results.h): a page stays quick to
// open. Of longer runs it has one row of every k, and the last.
inline constexpr std::size_t kReportRows = 3000;

// Which rows of `rows` a report shows.
std::vector<std::size_t> report_rows(std::size_t rows, std::size_t channels,
                                     std::size_t most_values = kReportValues);

// Little-endian float32, as a page reads them.
std::string base64_floats(std::span<const float> values);

// `page` is report_page(). The log must have its summary.
std::string report_html(std::string_view page, const Mechanism& mechanism, const LogContents& run,
                        std::size_t most_values = kReportValues);

// The same of an analysis: its rows, and what its page has beside them (analysis_page.h).
std::string analysis_html(std::string_view page, const std::string& title, const Mechanism& mechanism,
                          const LogContents& rows, const nlohmann::ordered_json& analysis);

}  // namespace trammel::results
