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

TEST(NearestName, AdviceOnFewNamesHasAll) {
  EXPECT_EQ(name_advice("rod.angel", {"rod.angle", "t"}),
            "did you mean 'rod.angle'? There are: rod.angle, t");
  EXPECT_EQ(name_advice("x", {"speed", "force"}), "choose one of: speed, force");
  EXPECT_EQ(name_advice("x", {}), "there are none");
}

TEST(NearestName, AdviceOnManyNamesHasThoseOfTheSamePart) {
  std::vector<std::string> many{"rod.x", "rod.omega"};
  for (int k = 0; k < 20; ++k) many.push_back("wheel" + std::to_string(k) + ".x");
  EXPECT_EQ(name_advice("rod.rate", many), "there are of 'rod': rod.x, rod.omega");
  EXPECT_EQ(name_advice("rod.omgea", many), "did you mean 'rod.omega'? There are of 'rod': rod.x, rod.omega");
  EXPECT_EQ(name_advice("weel7.x", many), "did you mean 'wheel7.x'?");
  EXPECT_EQ(name_advice("piston", many).substr(0, 33), "there are 22: rod.x, rod.omega, w");
}

TEST(NearestName, ShortNamesMatchByCaseOnly) { EXPECT_EQ(nearest_name("l", {"m", "L"}), "L"); }

}  // namespace
}  // namespace trammel::expressions::nearest_name_test
