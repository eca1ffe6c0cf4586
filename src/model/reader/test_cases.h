// For the tests of the model reader: bad models with the error each must give, and small good ones.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "trammel/model.h"

namespace trammel::model {

inline const std::string kPlanar = "trammel: 1\nplane: xy\n";
inline const std::string kSpatial = "trammel: 1\n";
// A rod on ground, lines 3 and 4 after kPlanar.
inline const std::string kLink =
    "points: {O: {at: [0, 0], on: ground}, A: [1, 0]}\n"
    "bodies: {crank: {rod: [O, A], mass: 1}}\n";
// Two boxes, lines 2 to 4 after kSpatial.
inline const std::string kBoxes =
    "bodies:\n"
    "  arm: {mass: 1, inertia: [1, 1, 1], points: {tip: [1, 0, 0]}, vectors: {n: [0, 0, 1]}}\n"
    "  base: {mass: 1, inertia: [1, 1, 1], at: [1, 0, 0], points: {hole: [0, 0, 0]}, vectors: {n: [0, 0, "
    "2]}}\n";

inline std::string errors_of(const std::string& text, const std::vector<std::string>& settings = {}) {
  std::string all;
  for (const InputError& error : read_model_text(text, "m.yaml", settings).errors)
    all += to_string(error) + "\n";
  return all;
}

inline Mechanism good_model(const std::string& text, const std::vector<std::string>& settings = {}) {
  ModelInput input = read_model_text(text, "m.yaml", settings);
  for (const InputError& error : input.errors) ADD_FAILURE() << to_string(error);
  return std::move(input.mechanism);
}

struct BadModel {
  std::string what;
  std::string text;
  std::string error;  // the only one, or its beginning: "line:column: message; remedy"
};

inline void expect_errors(std::initializer_list<BadModel> cases) {
  for (const BadModel& bad : cases) {
    SCOPED_TRACE(bad.what);
    const auto errors = read_model_text(bad.text, "m.yaml").errors;
    EXPECT_EQ(errors.size(), 1U) << errors_of(bad.text);
    if (errors.empty()) continue;
    const std::string expected = "m.yaml:" + bad.error;
    EXPECT_EQ(to_string(errors[0]).substr(0, expected.size()), expected);
  }
}

}  // namespace trammel::model
