// AnalysisRecord: what an analysis found, in the form in which all of them are printed, written and shown.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "results/files/results_hdf5.h"
#include "trammel/analyses.h"

namespace trammel::results {

// A figure at the head of the page.
struct PageFigure {
  std::string label, value, note;
};

struct AnalysisRecord {
  AnalysisTables beside;           // its name, "kinematics"; tables and matrices beside its rows
  std::string title;               // "Kinematics of crank"
  std::string text;                // for a person
  nlohmann::ordered_json summary;  // figures without the tables
  nlohmann::ordered_json tables;   // what --json has beside them
  Trajectory table;

  // The page.
  std::vector<PageFigure> figures;
  std::string plots;             // HTML: before the motion in 3-D
  std::string details;           // HTML: after it
  nlohmann::ordered_json modes;  // shapes that the page swings; null: it replays the table
  std::string row_name;          // of a table whose rows are no motion: "branch"
  // What the page has instead of the time: a coordinate that is swept, by one unit a second.
  struct Swept {
    std::string name, unit;  // name empty: the time
    double from = 0;
  };
  Swept swept = {};
};

AnalysisRecord record_of(const Mechanism& mechanism, const Positions& found);
AnalysisRecord record_of(const Mechanism& mechanism, const Kinematics& found);
AnalysisRecord record_of(const Mechanism& mechanism, const Workspace& found);
AnalysisRecord record_of(const Mechanism& mechanism, const InverseDynamics& found);
AnalysisRecord record_of(const Mechanism& mechanism, const Equilibria& found);
// `over` is the column of the plot's horizontal axis; empty: the position that changes most. Throws
// std::invalid_argument where there is no such column.
AnalysisRecord record_of(const Mechanism& mechanism, const EquilibriumPath& found,
                         const std::string& over = "");
AnalysisRecord record_of(const Mechanism& mechanism, const Modes& found);

}  // namespace trammel::results
