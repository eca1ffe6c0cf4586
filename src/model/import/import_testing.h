// For the tests of imports: files that live for one test, and the accelerations of an imported mechanism.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "trammel/equations.h"
#include "trammel/import.h"

namespace trammel::model {

class ImportFiles {
 public:
  ImportFiles()
      : folder_(std::filesystem::temp_directory_path() / ("trammel_import_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~ImportFiles() { std::filesystem::remove_all(folder_); }
  ImportFiles(const ImportFiles&) = delete;
  ImportFiles& operator=(const ImportFiles&) = delete;

  std::string write(const std::string& name, const std::string& text) const {
    const std::string path = (folder_ / name).string();
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

 private:
  std::filesystem::path folder_;
};

inline std::string error_texts(const std::vector<InputError>& errors) {
  std::string all;
  for (const InputError& e : errors)
    all += std::to_string(e.line) + ": " + e.message + "; " + e.remedy + "\n";
  return all;
}

inline Imported imported(const std::string& name, const std::string& text,
                         const ImportOptions& options = {}) {
  const ImportFiles files;
  return import_model(files.write(name, text), options);
}

inline Mechanism imported_model(const std::string& name, const std::string& text,
                                const ImportOptions& options = {}) {
  const Imported found = imported(name, text, options);
  const ModelInput input = read_imported(found);
  EXPECT_TRUE(input.errors.empty()) << error_texts(input.errors) << found.model;
  return input.mechanism;
}

// Of the first entry in the ledger that is called so.
inline LedgerEntry entry_of(const Imported& found, const std::string& element) {
  for (const LedgerEntry& entry : found.ledger)
    if (entry.element == element) return entry;
  ADD_FAILURE() << "the ledger has no " << element;
  return {};
}

// Accelerations by the names of coordinates, "hinge.angle", at these values of coordinates and rates.
inline std::map<std::string, double> accelerations(const Mechanism& mechanism,
                                                   const std::map<std::string, double>& state) {
  Simulation simulation(mechanism, mechanism.plan);
  EXPECT_TRUE(simulation.assemble().report.accepted());
  MotionEquations equations(simulation);
  std::vector<double> y = equations.y(simulation), rate(y.size());
  for (std::size_t i = 0; i < y.size(); ++i)
    if (const auto found = state.find(equations.names()[i]); found != state.end()) y[i] = found->second;
  EXPECT_TRUE(equations.derivative(0, y, rate).accepted());
  std::map<std::string, double> out;
  for (std::size_t i = 0; i < y.size() / 2; ++i) out[equations.names()[i]] = rate[y.size() / 2 + i];
  return out;
}

}  // namespace trammel::model
