// sweep.h5: all runs of a sweep, for h5py, Matlab, Julia and the like.
//
//   /parameters/L              [runs]           unit (where the model gives one)
//   /observations/peak(A.force)  [runs] or [runs × points]  unit, expression; points, point_unit
//   /status  [runs]  "ok", "failed", …    /message [runs]    /time [runs]  s reached
//   root attributes: format (1), kind "sweep", trammel_version, description (sweep.json)
//
// The chunks are read and written one after the other, so that memory does not grow with the number of runs.
// Nothing in the file tells when, where or by whom it was made: the same sweep gives the same bytes.
#include <fmt/format.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "expressions/nearest_name.h"
#include "results/files/hdf5_objects.h"
#include "results/files/results_file.h"
#include "results/report/summary.h"
#include "sweep/chunk_file.h"
#include "sweep/parts.h"
#include "trammel/sweep.h"
#include "trammel/version.h"

namespace trammel {
namespace {

namespace fs = std::filesystem;
using results::hdf5::checked;
using results::hdf5::Handle;

constexpr std::uint32_t kFileFormat = 1;
constexpr std::size_t kStatusBytes = 8;  // of the longest word

class StatusType : public Handle {
 public:
  StatusType() : Handle(H5Tcopy(H5T_C_S1), H5Tclose) {
    checked(H5Tset_size(*this, kStatusBytes));
    checked(H5Tset_strpad(*this, H5T_STR_NULLPAD));
  }
};

// A dataset of one row for each run.
class RunDataset {
 public:
  RunDataset(hid_t file, const std::string& path, hid_t type, std::uint64_t runs, std::size_t width)
      : width_(width), object_(create(file, path, type, runs, width), H5Dclose) {}

  void write(std::uint64_t first, std::size_t count, const void* values, hid_t memory_type) {
    const hsize_t start[2] = {first, 0}, size[2] = {count, width_};
    const int rank = width_ > 1 ? 2 : 1;
    const Handle space(H5Dget_space(object_), H5Sclose);
    checked(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, size, nullptr));
    const Handle memory(H5Screate_simple(rank, size, nullptr), H5Sclose);
    checked(H5Dwrite(object_, memory_type, memory, space, H5P_DEFAULT, values));
  }
  hid_t object() const { return object_; }

 private:
  static hid_t create(hid_t file, const std::string& path, hid_t type, std::uint64_t runs,
                      std::size_t width) {
    const results::hdf5::DatasetProperties properties;
    const hsize_t extent[2] = {runs, width};
    const Handle space(H5Screate_simple(width > 1 ? 2 : 1, extent, nullptr), H5Sclose);
    return H5Dcreate2(file, path.c_str(), type, space, properties.links, properties.creation, H5P_DEFAULT);
  }

  std::size_t width_;
  Handle object_;
};

void write_numbers(hid_t object, const char* name, const std::vector<double>& values) {
  const hsize_t size = values.size();
  results::hdf5::write_attribute(object, name, H5T_NATIVE_DOUBLE,
                                 Handle(H5Screate_simple(1, &size, nullptr), H5Sclose), values.data());
}

// All datasets, and the runs of one chunk after the other.
class SweepFile {
 public:
  SweepFile(hid_t file, const Sweep& sweep)
      : sweep_(sweep),
        status_(file, "/status", status_type_, sweep.runs(), 1),
        message_(file, "/message", text_type_, sweep.runs(), 1),
        time_(file, "/time", H5T_IEEE_F64LE, sweep.runs(), 1) {
    results::hdf5::write_text(time_.object(), "unit", "s");
    const sweep::ParameterUnits units = sweep.parts().variants.units();
    for (std::size_t k = 0; k < sweep.parameters().size(); ++k) {
      const std::string& name = sweep.parameters()[k];
      parameters_.push_back(std::make_unique<RunDataset>(
          file, "/parameters/" + results::hdf5::path_step(name), H5T_IEEE_F64LE, sweep.runs(), 1));
      const auto unit = units.find(name);
      results::hdf5::write_text(parameters_.back()->object(), "unit",
                                unit == units.end() ? "" : expressions::to_string(unit->second));
    }
    for (const SweepColumn& column : sweep.observations()) {
      observations_.push_back(
          std::make_unique<RunDataset>(file, "/observations/" + results::hdf5::path_step(column.name),
                                       H5T_IEEE_F64LE, sweep.runs(), column.size()));
      const hid_t object = observations_.back()->object();
      results::hdf5::write_text(object, "unit", column.unit);
      results::hdf5::write_text(object, "expression", column.text);
      if (column.points.empty()) continue;
      write_numbers(object, "points", column.points);
      results::hdf5::write_text(object, "point_unit", column.point_unit);
    }
  }

  void write(const sweep::Records& records) {
    const std::uint64_t first = records.begin()->first;
    const std::size_t count = records.size();
    write_values(records, first);
    std::vector<std::array<char, kStatusBytes>> status(count);
    std::vector<const char*> messages;
    std::vector<double> times;
    for (const auto& [run, row] : records) {
      const std::string word = results::to_string(row.status);
      std::ranges::copy(word, status[run - first].begin());
      messages.push_back(row.message.c_str());
      times.push_back(row.time);
    }
    status_.write(first, count, status.data(), status_type_);
    message_.write(first, count, static_cast<const void*>(messages.data()), text_type_);
    time_.write(first, count, times.data(), H5T_NATIVE_DOUBLE);
  }

 private:
  void write_values(const sweep::Records& records, std::uint64_t first) {
    const std::size_t count = records.size();
    std::vector<std::vector<double>> parameters(parameters_.size());
    std::vector<std::vector<double>> observations(observations_.size());
    for (const auto& [run, row] : records) {
      const std::vector<double> values = sweep_.values(run);
      for (std::size_t k = 0; k < values.size(); ++k) parameters[k].push_back(values[k]);
      auto value = row.values.begin();
      for (std::size_t k = 0; k < observations.size(); ++k) {
        const auto size = static_cast<std::ptrdiff_t>(sweep_.observations()[k].size());
        observations[k].insert(observations[k].end(), value, value + size);
        value += size;
      }
    }
    for (std::size_t k = 0; k < parameters.size(); ++k)
      parameters_[k]->write(first, count, parameters[k].data(), H5T_NATIVE_DOUBLE);
    for (std::size_t k = 0; k < observations.size(); ++k)
      observations_[k]->write(first, count, observations[k].data(), H5T_NATIVE_DOUBLE);
  }

  const Sweep& sweep_;
  StatusType status_type_;
  results::hdf5::TextType text_type_;
  RunDataset status_, message_, time_;
  std::vector<std::unique_ptr<RunDataset>> parameters_, observations_;
};

// HDF5 crashes at the program's end when the disk became full, so it is asked before.
void require_space(const fs::path& folder, const Sweep& sweep) {
  std::size_t width = sweep.parameters().size() + 1;
  for (const SweepColumn& column : sweep.observations()) width += column.size();
  constexpr std::size_t kOfMessage = 32, kBeside = 1 << 20;
  const double needed =
      static_cast<double>(sweep.runs()) * static_cast<double>(8 * width + kStatusBytes + kOfMessage) +
      static_cast<double>(kBeside);
  struct statvfs disk {};
  if (::statvfs(folder.c_str(), &disk) != 0) return;
  const double free = static_cast<double>(disk.f_bavail) * static_cast<double>(disk.f_frsize);
  if (free < needed)
    throw results::WriteError(
        fmt::format("cannot write '{}': it needs {:.0f} MB, and the disk has {:.0f} MB left; make room, and "
                    "'trammel sweep {} --resume' merges the chunks",
                    (folder / "sweep.h5").string(), needed / 1e6, free / 1e6, folder.string()));
}

void write_sweep(const fs::path& path, const Sweep& sweep, const fs::path& folder, SweepSummary& summary) {
  const std::uint64_t wanted = sweep::fingerprint(sweep.description());
  Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
  const Handle scalar(H5Screate(H5S_SCALAR), H5Sclose);
  results::hdf5::write_attribute(file, "format", H5T_NATIVE_UINT32, scalar, &kFileFormat);
  results::hdf5::write_text(file, "kind", "sweep");
  results::hdf5::write_text(file, "trammel_version", TRAMMEL_VERSION);
  results::hdf5::write_text(file, "description", sweep.description());
  {
    SweepFile datasets(file, sweep);
    for (std::uint64_t chunk = 0; chunk < sweep.chunks(); ++chunk) {
      const auto records = sweep::read_chunk(folder, chunk, wanted, sweep);
      if (!records)
        throw std::runtime_error(
            fmt::format("chunk '{}' is missing or damaged; 'trammel sweep {} --resume' computes it",
                        sweep::chunk_path(folder, chunk).string(), folder.string()));
      datasets.write(*records);
      for (const auto& [run, row] : *records)
        ++(row.status == RunStatus::failed ? summary.failed : summary.done);
    }
  }
  checked(H5Fflush(file, H5F_SCOPE_GLOBAL));
  file.close();
}

std::vector<double> read_values(hid_t file, const std::string& path) {
  const Handle object(H5Dopen2(file, path.c_str(), H5P_DEFAULT), H5Dclose);
  const Handle space(H5Dget_space(object), H5Sclose);
  std::vector<double> values(static_cast<std::size_t>(checked(H5Sget_simple_extent_npoints(space))));
  if (!values.empty())
    checked(H5Dread(object, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()));
  return values;
}

void read_states(hid_t file, SweepTable& table) {
  const StatusType type;
  const results::hdf5::TextType text;
  const std::size_t runs = table.times.size();
  std::vector<std::array<char, kStatusBytes>> words(runs);
  const Handle status(H5Dopen2(file, "/status", H5P_DEFAULT), H5Dclose);
  checked(H5Dread(status, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, words.data()));
  for (const auto& word : words) {
    const std::string found(word.data(), strnlen(word.data(), kStatusBytes));
    for (const RunStatus one : {RunStatus::ok, RunStatus::limited, RunStatus::marked, RunStatus::doubtful,
                                RunStatus::failed, RunStatus::stopped})
      if (results::to_string(one) == found) table.status.push_back(one);
  }
  std::vector<char*> texts(runs);
  const Handle message(H5Dopen2(file, "/message", H5P_DEFAULT), H5Dclose);
  const Handle space(H5Dget_space(message), H5Sclose);
  checked(H5Dread(message, text, H5S_ALL, H5S_ALL, H5P_DEFAULT, static_cast<void*>(texts.data())));
  for (const char* one : texts) table.messages.emplace_back(one == nullptr ? "" : one);
  checked(H5Dvlen_reclaim(text, space, H5P_DEFAULT, static_cast<void*>(texts.data())));
}

SweepTable read_table(const fs::path& path) {
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (checked(H5Aexists(file, "kind")) == 0 || results::hdf5::read_text(file, "kind") != "sweep")
    throw std::runtime_error("it is not the file of a sweep");
  SweepTable table;
  table.description = results::hdf5::read_text(file, "description");
  const auto told = nlohmann::json::parse(table.description);
  table.parameters = told["parameters"].get<std::vector<std::string>>();
  for (const auto& one : told["observations"])
    table.observations.push_back({one["name"], one["text"], one["unit"],
                                  one.value("points", std::vector<double>{}), one.value("point_unit", "")});
  for (const std::string& name : table.parameters)
    table.parameter_values.push_back(read_values(file, "/parameters/" + results::hdf5::path_step(name)));
  for (const SweepColumn& column : table.observations)
    table.observation_values.push_back(
        read_values(file, "/observations/" + results::hdf5::path_step(column.name)));
  table.times = read_values(file, "/time");
  read_states(file, table);
  if (table.status.size() != table.times.size()) throw std::runtime_error("it is damaged");
  return table;
}

}  // namespace

SweepSummary merge_sweep(const Sweep& sweep, const fs::path& folder) {
  SweepSummary summary;
  summary.runs = sweep.runs();
  require_space(folder, sweep);
  const results::hdf5::Quiet quiet;
  results::PartialFile partial(folder / "sweep.h5");
  try {
    write_sweep(partial.path(), sweep, folder, summary);
  } catch (const results::hdf5::Hdf5Error& error) {
    throw results::WriteError(
        fmt::format("cannot write '{}': {}", (folder / "sweep.h5").string(), error.what()));
  }
  partial.commit();
  summary.merged = true;
  return summary;
}

SweepTable read_sweep(const fs::path& path) {
  const results::hdf5::Quiet quiet;
  try {
    return read_table(path);
  } catch (const std::exception& error) {
    throw std::runtime_error(fmt::format("cannot read '{}': {}", path.string(), error.what()));
  }
}

const std::vector<double>& SweepTable::column(const std::string& name) const {
  std::vector<std::string> names = parameters;
  for (std::size_t k = 0; k < parameters.size(); ++k)
    if (parameters[k] == name) return parameter_values[k];
  for (std::size_t k = 0; k < observations.size(); ++k) {
    if (observations[k].name == name) return observation_values[k];
    names.push_back(observations[k].name);
  }
  throw std::invalid_argument(
      fmt::format("there is no column '{}'; {}", name, expressions::name_advice(name, names)));
}

}  // namespace trammel
