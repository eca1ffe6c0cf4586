// The report page holds the run: every column as the page decodes it, and nothing that breaks out of its
// place.
#include "results/report/report.h"

#include <gtest/gtest.h>

#include "model/reader/test_cases.h"

namespace trammel::results::report_test {
namespace {

TEST(Report, ShortRunsAreShownWhole) {
  EXPECT_EQ(report_rows(3, 10), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_TRUE(report_rows(0, 10).empty());
}

TEST(Report, LongRunsKeepFirstAndLastRowWithinBounds) {
  for (const std::size_t rows : {3001u, 100'000u, 99'999u}) {
    const auto shown = report_rows(rows, 50);
    EXPECT_EQ(shown.front(), 0u);
    EXPECT_EQ(shown.back(), rows - 1);
    EXPECT_LE(shown.size(), kReportRows + 1);
  }
  EXPECT_LE(report_rows(3000, 20'000).size() * 20'000, kReportValues + 20'000);
  EXPECT_EQ(report_rows(1001, 1000, 11'000),
            (std::vector<std::size_t>{0, 91, 182, 273, 364, 455, 546, 637, 728, 819, 910, 1000}));
}

// 1.0f is 00 00 80 3F, −2.0f is 00 00 00 C0.
TEST(Report, NumbersAreLittleEndianFloats) {
  const float values[] = {1.0F, -2.0F};
  EXPECT_EQ(base64_floats(values), "AACAPwAAAMA=");
  EXPECT_EQ(base64_floats(std::span(values).first(1)), "AACAPw==");
  EXPECT_EQ(base64_floats({}), "");
}

LogContents small_run() {
  LogContents run;
  run.header.model = "name: </script><script>alert(1)</script>";
  run.header.version = "1";
  run.trajectory.channels = {{"", "time", "", "s", "t", false},
                             {"energy", "kinetic", "", "J", "energy.kinetic", false},
                             {"energy", "potential", "", "J", "energy.potential", false},
                             {"energy", "work", "", "J", "energy.work", false}};
  // The drift, 1e-9 of 1 J, is far below what a float of 1 J resolves.
  run.trajectory.values = {0, 1, 0, 0, 1, 0.5, 0.5 + 1e-9, 0};
  run.summary = {{"status", "ok"}};
  return run;
}

nlohmann::json embedded(const std::string& html) {
  const std::size_t from = html.find('{');
  return nlohmann::json::parse(html.substr(from, html.rfind('}') - from + 1));
}

TEST(Report, NothingInAModelEndsTheScript) {
  Mechanism mechanism = model::good_model(model::kPlanar + model::kLink);
  mechanism.name = "a <b> & c";
  const std::string html =
      report_html("<title>__TRAMMEL_TITLE__</title>|__TRAMMEL_RUN__", mechanism, small_run());
  EXPECT_EQ(html.find("</script"), std::string::npos);
  EXPECT_NE(html.find("<title>a &lt;b&gt; &amp; c</title>"), std::string::npos);
  EXPECT_EQ(embedded(html)["model"], small_run().header.model);
}

TEST(Report, DriftKeepsItsDigits) {
  const nlohmann::json run =
      embedded(report_html("__TRAMMEL_RUN__", model::good_model(model::kPlanar + model::kLink), small_run()));
  EXPECT_EQ(run["rows"], 2);
  EXPECT_EQ(run["channels"].back()["name"], "energy.drift");
  const float drift[] = {0.0F, 1e-9F};
  const std::string values = run["values"];
  // ten floats: the last two begin at byte 32, which base64 does not divide; compare what encodes them whole
  const float all[] = {0, 1, 1, 0.5F, 0, 0.5F, 0, 0, 0, static_cast<float>(0.5 + (0.5 + 1e-9) - 1)};
  EXPECT_EQ(values, base64_floats(all));
  EXPECT_NEAR(all[9], drift[1], 1e-15);
}

}  // namespace
}  // namespace trammel::results::report_test
