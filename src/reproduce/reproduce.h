// reproduce(): runs items of papers and judges what comes out.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "reproduce/measures.h"

namespace trammel::reproduce {

struct RowResult {
  Row row;
  Measured measured;
  Judgement judgement;
  std::string ours;      // as shown
  std::string verdict;   // in words
  std::string note;      // what explains a difference, or why it was not run
  std::string recorded;  // empty: none
  bool worse = false;    // than recorded
};

struct ItemResult {
  Item item;
  std::vector<RowResult> rows;
  std::vector<Picture> pictures;
};

struct PaperResult {
  Paper paper;
  std::vector<ItemResult> items;
};

// The papers with only the items that PAPER, or PAPER/ITEM, names; all of them where nothing is named.
// Throws std::runtime_error when there is none of that name.
std::vector<Paper> selected(std::vector<Paper> papers, const std::string& wanted);

// Measures of a paper, by its name.
const std::map<std::string, Measures>& all_measures();

// Runs every item, on two threads where the machine has them; results are in the papers' order and do not
// depend on it. `started` is called with an item's id, from one thread at a time.
std::vector<PaperResult> reproduce(const std::vector<Paper>& papers,
                                   const std::map<std::string, std::string>& optional_features,
                                   const std::function<void(const std::string&)>& started = {});

// One line for each row that failed, is worse than recorded, or was not recorded.
std::vector<std::string> regressions(const std::vector<PaperResult>& results);

}  // namespace trammel::reproduce
