#include "model/yaml/yaml_change.h"

#include <gtest/gtest.h>

namespace trammel::model {
namespace {

using Json = nlohmann::ordered_json;

const char* const kCrank = R"(# a crank by hand
trammel: 1
plane: xy
parameters: {L: 0.3 m, speed: 60 rpm}   # the drawing's
points:
  O: {at: [0, 0], on: ground}   # the bearing
  A: [0.2, 0.22]                # the pin

# what moves
bodies:
  crank:
    rod: [O, A]
    mass: 1 kg    # weighed
    length: L
  "slider": {point: A, mass: 1 kg}
simulate: {duration: 10 s, step: 1 ms}
)";

std::string replaced(std::string text, const std::string& old, const std::string& put) {
  const std::size_t at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return text.replace(at, old.size(), put);
}

TEST(YamlChange, AValueIsReplacedAndItsCommentStays) {
  EXPECT_EQ(change_yaml(kCrank, {{"bodies", "crank", "mass"}, Json(2.5)}),
            replaced(kCrank, "mass: 1 kg    # weighed", "mass: 2.5    # weighed"));
  EXPECT_EQ(change_yaml(kCrank, {{"bodies", "crank", "mass"}, Json(2.0)}),
            replaced(kCrank, "mass: 1 kg    # weighed", "mass: 2    # weighed"));
  EXPECT_EQ(change_yaml(kCrank, {{"bodies", "crank", "mass"}, Json(0.1 + 0.2)}),
            replaced(kCrank, "mass: 1 kg    # weighed", "mass: 0.30000000000000004    # weighed"));
  EXPECT_EQ(change_yaml(kCrank, {{"points", "A", "1"}, Json(0.5)}), replaced(kCrank, "0.22]", "0.5]"));
  EXPECT_EQ(change_yaml(kCrank, {{"parameters", "speed"}, Json("2*L")}), replaced(kCrank, "60 rpm", "2*L"));
  EXPECT_EQ(change_yaml(kCrank, {{"bodies", "slider", "mass"}, Json("3 kg")}),
            replaced(kCrank, "A, mass: 1 kg}", "A, mass: 3 kg}"));
}

TEST(YamlChange, AMapIsComparedEntryByEntry) {
  EXPECT_EQ(change_yaml(kCrank,
                        {{"bodies", "crank"}, Json{{"rod", {"O", "A"}}, {"mass", "1 kg"}, {"length", 0.4}}}),
            replaced(kCrank, "length: L", "length: 0.4"));
  // what it says already is left alone
  EXPECT_EQ(change_yaml(kCrank, {{"points", "A"}, Json{0.2, 0.22}}), kCrank);
}

TEST(YamlChange, AnEntryIsAddedBehindTheOthers) {
  EXPECT_EQ(change_yaml(kCrank, {{"points", "B"}, Json{0.8, 0}}),
            replaced(kCrank, "# the pin\n", "# the pin\n  B: [0.8, 0]\n"));
  EXPECT_EQ(change_yaml(kCrank, {{"bodies", "coupler"}, Json{{"rod", {"A", "B"}}, {"mass", 2}}}),
            replaced(kCrank, "mass: 1 kg}\n", "mass: 1 kg}\n  coupler: {rod: [A, B], mass: 2}\n"));
  EXPECT_EQ(change_yaml(kCrank, {{"bodies", "crank", "free"}, Json(true)}),
            replaced(kCrank, "length: L\n", "length: L\n    free: true\n"));
  EXPECT_EQ(change_yaml(kCrank, {{"parameters", "k"}, Json(3)}),
            replaced(kCrank, "60 rpm}", "60 rpm, k: 3}"));
}

TEST(YamlChange, ASectionIsAddedInItsPlace) {
  EXPECT_EQ(change_yaml(kCrank, {{"drivers", "motor"}, Json{{"speed", "O"}, {"equals", 6}}}),
            replaced(kCrank, "simulate:", "drivers:\n  motor: {speed: O, equals: 6}\nsimulate:"));
  EXPECT_EQ(change_yaml(kCrank, {{"gravity"}, Json{0, -9.81}}),
            replaced(kCrank, "plane: xy\n", "plane: xy\ngravity: [0, -9.81]\n"));
  EXPECT_EQ(change_yaml("trammel: 1\nbodies: {}\n", {{"bodies", "a"}, Json{{"mass", 1}}}),
            "trammel: 1\nbodies:\n  a: {mass: 1}\n");
  EXPECT_EQ(change_yaml("trammel: 1\nbodies:", {{"bodies", "a"}, Json{{"mass", 1}}}),
            "trammel: 1\nbodies:\n  a: {mass: 1}");
}

TEST(YamlChange, AnEntryGoesWithItsLine) {
  EXPECT_EQ(change_yaml(kCrank, {{"points", "A"}, std::nullopt}),
            replaced(kCrank, "  A: [0.2, 0.22]                # the pin\n", ""));
  EXPECT_EQ(change_yaml(kCrank, {{"bodies", "crank"}, std::nullopt}),
            replaced(kCrank, "  crank:\n    rod: [O, A]\n    mass: 1 kg    # weighed\n    length: L\n", ""));
  EXPECT_EQ(change_yaml(kCrank, {{"parameters", "L"}, std::nullopt}), replaced(kCrank, "L: 0.3 m, ", ""));
  EXPECT_EQ(change_yaml(kCrank, {{"parameters", "speed"}, std::nullopt}),
            replaced(kCrank, ", speed: 60 rpm", ""));
  // the last one with its section
  EXPECT_EQ(
      change_yaml("trammel: 1\ndrivers:\n  m: {speed: O}\nbodies: {}\n", {{"drivers", "m"}, std::nullopt}),
      "trammel: 1\nbodies: {}\n");
}

TEST(YamlChange, BytesAndQuotesAreCountedRight) {
  const std::string text =
      "name: \"Gelenk für {alle}, # kein Kommentar\"   # größe\nbodies: {a: {mass: 1}} # ö\n";
  EXPECT_EQ(change_yaml(text, {{"bodies", "a", "mass"}, Json(2)}), replaced(text, "mass: 1", "mass: 2"));
  EXPECT_EQ(change_yaml(text, {{"name"}, Json("x")}),
            replaced(text, "\"Gelenk für {alle}, # kein Kommentar\"", "x"));
}

TEST(YamlChange, WhatCannotBeChangedInPlaceIsRefused) {
  const std::string aliased = "a: &one {m: 1}\nb: *one\n";
  EXPECT_THROW(change_yaml(aliased, {{"b", "m"}, Json(2)}), std::invalid_argument);
  EXPECT_THROW(change_yaml(kCrank, {{"points", "Z"}, std::nullopt}), std::invalid_argument);
  EXPECT_THROW(change_yaml(kCrank, {{"plane", "x"}, Json(1)}), std::invalid_argument);
  EXPECT_THROW(change_yaml("a: [1\n", {{"a"}, Json(1)}), std::invalid_argument);
  EXPECT_THROW(change_yaml("a: |\n  many\n  lines\n", {{"a"}, Json(1)}), std::invalid_argument);
}

}  // namespace
}  // namespace trammel::model
