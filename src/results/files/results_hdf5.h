// Results as one HDF5 file, for h5py, Matlab, Julia and the like.
//
//   /time                        [rows]               unit
//   /bodies/crank/position       [rows × components]  unit, components
//   /energy/kinetic              [rows]               unit
//   root attributes: format (1), trammel_version, model (YAML), plan, summary, creation, channels (JSON)
//
// An analysis (docs/analyses.md) also has `analysis`, its name, and the first column of its rows may be
// another than the time, as /branch. Tables with rows of their own are groups (/boundary/…) with an attribute
// channels, matrices are datasets with attributes rows and columns: their names.
//
// A name becomes one step of a path: in it '/', '%' and NUL are written %2F, %25 and %00, a name "." is
// written %2E and an empty one %. `unit` is one string, or one per component where they differ.
// A missing value is NaN. The same contents give the same bytes.
//
// HDF5 is not for several threads at a time: neither are Hdf5File, write_hdf5() and read_hdf5().
#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "results/files/results_log.h"
#include "trammel/results.h"

namespace trammel::results {

// What an analysis has beside its rows.
struct AnalysisTables {
  std::string analysis;  // its name; empty: a run
  struct Table {
    std::string name;  // of its group, and of its CSV file
    Trajectory table;
  };
  std::vector<Table> tables;
  struct Matrix {
    std::string name;
    Eigen::MatrixXd matrix;
    std::vector<std::string> rows, columns;
  };
  std::vector<Matrix> matrices;
};

// A results file in the making, in memory: rows first, while errors and summary are still to come. What
// cannot be written throws std::runtime_error; there is then no file of that name, or still the one that was
// there before.
class Hdf5File {
 public:
  Hdf5File(std::filesystem::path path, const Trajectory& rows);
  ~Hdf5File();
  // Adds what else there is to the same rows, and writes the file. Without a summary in the contents the
  // attribute is left out.
  void finish(const LogContents& contents, const AnalysisTables& beside = {});

 private:
  struct Memory;
  std::filesystem::path path_;
  std::unique_ptr<Memory> memory_;
};

// All of it at once.
void write_hdf5(const std::filesystem::path& path, const LogContents& contents,
                const AnalysisTables& beside = {});

// The errors of a run's values, with its columns and rows; NaN where none is known.
Trajectory read_hdf5_errors(const std::filesystem::path& path);

// What the run was, without its rows. Throws std::runtime_error with path and reason.
LogHeader read_hdf5_header(const std::filesystem::path& path);

// All of a run. Throws std::runtime_error with path and reason, also for the rows of an analysis.
LogContents read_hdf5_run(const std::filesystem::path& path);

}  // namespace trammel::results
