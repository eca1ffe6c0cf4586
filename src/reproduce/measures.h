// Measures: how each item of each paper is computed. One file per paper; a measure runs what the item's data
// say and hands back a figure for every row and the curves of the published figures.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "reproduce/verdict.h"
#include "results/plot/svg_plot.h"

namespace trammel::reproduce {

struct Picture {
  std::string title;
  results::Plot plot;
};

struct Finding {
  std::map<std::string, Measured> rows;  // by the row's key
  std::vector<Picture> pictures;

  Measured& operator[](const std::string& key) { return rows[key]; }
};

using Measure = std::function<Finding(const Item&)>;
using Measures = std::map<std::string, Measure>;  // by the item's name

Measures bayo_ledesma_measures();
Measures bayo_ledesma_mechanism_measures();  // part of these
Measures chapter5_measures();
Measures gonzalez_measures();
Measures joli_measures();
Measures welch_measures();
Measures welch_spatial_measures();  // part of these
Measures benchmark_measures();
Measures closed_form_measures();  // part of these

}  // namespace trammel::reproduce
