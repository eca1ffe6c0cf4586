// The published figures of a paper as data: papers/NAME/figures.yaml, and the verdicts recorded beside it.
//
// An Item is a table, a figure or a claim of the paper; its rows are the single figures. What a program needs
// to run an item (model, settings) stands in the same file as what the paper states and what had to be
// assumed.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace trammel::reproduce {

struct Row {
  std::string key;        // "lambda1/0.005": within its item
  std::string label;      // for a person
  std::string published;  // as printed: the last digit tells how far it is rounded. Words: a statement
  std::string unit;
  double bound = 0;    // of a check, which nobody has published: what the figure must not exceed
  double noise = 0;    // a further difference that rounding alone explains
  std::string why;     // it does; or why the bound is that much
  std::string fitted;  // what was chosen so that this figure comes out: its agreement proves nothing
  std::string note;    // the best explanation where ours differs
  // Why the figure depends on the last bit of a run: another compiler may turn "within" into "same
  // behaviour".
  std::string sensitive;
  std::vector<std::string> needs;

  bool is_check() const { return bound > 0; }
};

struct Assumption {
  std::string what, why;
};

// A model with settings, as given to --set.
struct RunSettings {
  std::string model;  // empty: the item's
  std::vector<std::string> settings;
};

// Where models and reference trajectories are.
struct Library {
  std::filesystem::path papers, models, references;
};

struct Item {
  std::string paper, name;
  std::string where;  // in the paper
  std::string title;
  std::string remark;  // a paragraph for the page
  std::string model;
  std::vector<std::string> settings;  // of every run
  std::map<std::string, RunSettings> runs;
  std::vector<std::string> stated;  // settings that the paper gives
  std::vector<Assumption> assumed;
  std::vector<std::string> needs;  // "coordinates reference", "formulation …", "integrator …", "key …"
  std::vector<std::string> columns;  // of a table with several figures a row
  std::vector<Row> rows;
  Library library;

  std::string id() const { return paper + "/" + name; }
  // What is printed in a row, by its key. Throws std::logic_error where there is none.
  const std::string& published(const std::string& key) const;
};

struct Paper {
  std::string name, title, authors, source;
  std::string about;  // what the page says of it
  std::vector<Item> items;
  std::map<std::string, std::string> recorded;  // verdict by ITEM/ROW
};

// The library around a folder of papers. Throws std::runtime_error with advice where it is not one.
Library library_at(const std::filesystem::path& papers);
// The folder given, or the nearest one named papers above the program. Throws likewise.
Library find_library(const std::string& given, const std::filesystem::path& program);

// Every paper, in order of papers/papers.yaml; std::runtime_error names file, line and key of what is wrong.
std::vector<Paper> read_papers(const Library& library);
// What a build may lack (papers/papers.yaml), each with the reason.
std::map<std::string, std::string> read_optional_features(const Library& library);

// True when this build can do what a `needs` entry names.
bool build_has(const std::string& feature);
// The first of the features that it cannot do; empty: none.
std::string first_missing(const std::vector<std::string>& features);

void write_recorded(const Library& library, const std::string& paper,
                    const std::map<std::string, std::string>& verdicts);

}  // namespace trammel::reproduce
