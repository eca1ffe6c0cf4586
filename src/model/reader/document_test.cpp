// The document itself: syntax, version, sections; files that cannot be read; bombs; many errors at once.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "model/reader/test_cases.h"

namespace trammel::model::document_test {
namespace {

TEST(ModelDocument, BadOnesSayWhereAndWhat) {
  expect_errors(
      {{"empty", "", "1:1: the file is empty; start with `trammel: 1`"},
       {"list", "[1, 2]", "1:1: the file is not a map of keys"},
       {"syntax", "trammel: [1",
        "1:10: this bracket is not closed, or a comma is missing after it; check brackets and commas"},
       {"binary", std::string("trammel\0: 1", 11), "1:1: this is a binary file, not text; give a model"},
       {"UTF-16", std::string("\xFF\xFEt\0", 4), "1:1: this file is UTF-16 text; save it as UTF-8"},
       {"tab",
        kPlanar + "points: {O: {at: [0, 0], on: ground}, A: [1, 0]}\nbodies:\n\tr: {rod: [O, A], mass: 1}\n",
        "5:1: this line is indented with a tab, which YAML does not allow; use spaces"},
       {"merge key",
        kPlanar +
            "points: {O: {at: [0, 0], on: ground}, A: &a {at: [1, 0]}, B: {<<: *a, at: [1, 0], on: ground}}\n"
            "bodies: {crank: {rod: [O, A], mass: 1}, rocker: {rod: [A, B], mass: 1, length: 1}}\n",
        "3:63: merge keys are not supported; repeat the entries"},
       {"latin", "trammel: 1\nname: \xe9t\xe9\n", "2:1: this line is not UTF-8 text; save the file as UTF-8"},
       {"surrogate", "trammel: 1\nname: \xed\xa0\x80\n", "2:1: this line is not UTF-8 text"},
       {"escape", "trammel: 1\nname: \"a\\Nb\"\n",
        "2:7: this text has an escape \\N or \\_; write the character itself"},
       {"longer than need be", "trammel: 1\nname: \xe0\x80\x80\n", "2:1: this line is not UTF-8 text"},
       {"beyond the last character", "trammel: 1\nname: \xf4\x90\x80\x80\n",
        "2:1: this line is not UTF-8 text"},
       {"two documents", kPlanar + kLink + "---\ntrammel: 1\n",
        "6:1: a second YAML document starts here; keep one model in a file"},
       {"tag", kPlanar + kLink + "name: !!binary abc",
        "5:7: the YAML tag 'tag:yaml.org,2002:binary' has no meaning here; remove it"},
       {"duplicate key", kPlanar + kLink + "name: a\nname: b\n",
        "6:1: 'name' appears twice, first in line 5; rename or remove one of them"},
       {"duplicate body",
        kPlanar + "points: {O: {at: [0, 0], on: ground}, A: [1, 0]}\n"
                  "bodies:\n  a: {rod: [O, A], mass: 1}\n  a: {rod: [O, A], mass: 1}\n",
        "6:3: 'a' appears twice, first in line 5"},
       {"no version", "plane: xy\n" + kLink,
        "1:1: the key 'trammel' is missing: the version of the format; write `trammel: 1`"},
       {"another file", "status: ok\nmodel: crank\ncoordinates: natural\n",
        "1:1: this is not a model: it has neither the key 'trammel' nor bodies; give a model file, which "
        "begins "
        "with `trammel: 1`"},
       {"wrong version", "trammel: 2\nplane: xy\n" + kLink,
        "1:10: trammel: this program reads version 1, not '2'"},
       {"no bodies", kPlanar, "1:1: the mechanism has no bodies; add one under `bodies:`"},
       {"unknown section", kPlanar + kLink + "joint: {}\n",
        "5:1: unknown key 'joint'; did you mean 'joints'?"},
       {"section is a list", kPlanar + kLink + "joints: [a]\n",
        "5:9: joints: expected named entries, found a list; write joints: {name: …}"},
       {"plane", "trammel: 1\nplane: xz\n" + kLink, "2:8: plane: there is no 'xz'; choose one of: xy"}});
}

TEST(ModelDocument, FilesThatCannotBeRead) {
  const auto error_of = [](const std::string& path) { return to_string(read_model(path).errors.at(0)); };
  EXPECT_EQ(error_of("/nowhere/m.yaml"),
            "/nowhere/m.yaml: there is no such file; check the name and the folder");
  EXPECT_EQ(error_of("/tmp"), "/tmp: this is a folder; name the file in it");
  EXPECT_EQ(error_of("/dev/zero"),
            "/dev/zero:1:1: the file is larger than 64 MB; use `for:` to repeat entries");
}

TEST(ModelDocument, AFileWithoutPermission) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const std::string path = testing::TempDir() + "trammel_model_secret_test.yaml";
  std::ofstream(path) << kPlanar << kLink;
  std::filesystem::permissions(path, std::filesystem::perms::none);
  const ModelInput input = read_model(path);
  std::remove(path.c_str());
  EXPECT_EQ(to_string(input.errors.at(0)),
            path + ": cannot read the file: Permission denied; check its permissions");
}

TEST(ModelDocument, AFileIsReadAndKept) {
  const std::string path = testing::TempDir() + "trammel_model_document_test.yaml";
  std::ofstream(path) << kPlanar << kLink;
  const ModelInput input = read_model(path);
  std::remove(path.c_str());
  EXPECT_TRUE(input.errors.empty());
  EXPECT_EQ(input.mechanism.text, kPlanar + kLink);
}

TEST(ModelDocument, NestingIsBounded) {
  for (const char* bracket : {"[", "{", "- ", "? ", "[a,\n", "{a: "}) {
    std::string text;
    for (int i = 0; i < 100'000; ++i) text += bracket;
    EXPECT_NE(errors_of(text).find("nested more than 64 levels deep"), std::string::npos) << bracket;
  }
}

TEST(ModelDocument, AliasesAreBounded) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    text += fmt::format("a{}: &a{} [", i, i);
    for (int k = 0; k < 10; ++k) text += fmt::format("*a{}, ", i - 1);
    text += "]\n";
  }
  EXPECT_NE(errors_of(text).find("the file holds more than 5000000 values once its aliases are expanded"),
            std::string::npos);
  EXPECT_NE(errors_of("a: &a [*a]").find("this alias stands inside the very value it names"),
            std::string::npos);
}

TEST(ModelDocument, AnAliasIsACopy) {
  const Mechanism m =
      good_model(kPlanar +
                 "points: {O: {at: &o [0, 0], on: ground}, A: [1, 0], B: {at: *o, on: ground}}\n"
                 "bodies: {a: {rod: [O, A], mass: 1}, b: {rod: [B, A], mass: 1}}\n");
  EXPECT_EQ(m.points[2].at, m.points[0].at);
}

TEST(ModelDocument, AllErrorsAreReportedAtOnceInOrder) {
  const std::string text = kPlanar +
                           "points: {O: {at: [0, 0], on: ground}, A: [1, 0]}\n"
                           "bodies:\n"
                           "  crank: {rod: [O, A], mass: -1, lenght: 1}\n"
                           "  plate: {mass: 2 m, inertia: -1}\n"
                           "joints:\n"
                           "  j: {revolute: [crank, crnk], at: [0, 0]}\n"
                           "simulate: {step: 0, duration: 1}\n";
  EXPECT_EQ(errors_of(text),
            "m.yaml:5:30: the mass of 'crank' is -1 kg; give a mass of zero or more\n"
            "m.yaml:5:34: unknown key 'lenght'; did you mean 'length'?\n"
            "m.yaml:6:17: mass: '2 m' is in m, but kg is expected; give it in kg\n"
            "m.yaml:6:31: the inertia of 'plate' is -1 kg.m²; give a positive number; a mass without extent "
            "is {point: P, mass: …}\n"
            "m.yaml:8:25: there is no body 'crnk'; did you mean 'crank'?\n"
            "m.yaml:9:18: step: '0' is not positive; give a number above zero\n");
}

}  // namespace
}  // namespace trammel::model::document_test
