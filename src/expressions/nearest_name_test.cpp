#include "expressions/nearest_name.h"

#include <gtest/gtest.h>

namespace trammel::expressions::nearest_name_test {
namespace {

TEST(NearestName, OneEditOfEachKind) {
  const std::vector<std::string> known{"crank", "hinge.angle", "slider"};
  EXPECT_EQ(nearest_name("carnk", known), "crank");             // swap
  EXPECT_EQ(nearest_name("hinge.agle", known), "hinge.angle");  // missing
  EXPECT_EQ(nearest_name("sliider", known), "slider");          // too many
  EXPECT_EQ(nearest_name("crink", known), "crank");             // replaced
  EXPECT_EQ(nearest_name("Crank", known), "crank");             // case
}

TEST(NearestName, TheNearestWins) {
  EXPECT_EQ(nearest_name("springs", {"strings", "spring"}), "strings");
  EXPECT_EQ(nearest_name("SPEED", {"spend", "speed"}), "speed");
}

TEST(NearestName, NothingClose) {
  EXPECT_EQ(nearest_name("piston", {"crank", "slider"}), "");
  EXPECT_EQ(nearest_name("x", {"y", "z"}), "");
  EXPECT_EQ(nearest_name("x", {}), "");
  EXPECT_EQ(nearest_name("", {"a"}), "");
}

TEST(NearestName, ShortNamesMatchByCaseOnly) { EXPECT_EQ(nearest_name("l", {"m", "L"}), "L"); }

}  // namespace
}  // namespace trammel::expressions::nearest_name_test
