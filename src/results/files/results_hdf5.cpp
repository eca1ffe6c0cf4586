#include "results/files/results_hdf5.h"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "results/files/hdf5_objects.h"
#include "results/files/results_file.h"

namespace trammel {

namespace {

using results::checked;
using results::DatasetProperties;
using results::Handle;
using results::Hdf5Error;
using results::path_step;
using results::Quiet;
using results::read_text;
using results::write_attribute;
using results::write_json;
using results::write_text;
using results::write_texts;

constexpr std::uint32_t kFormat = 1;
constexpr std::size_t kGrowthBytes = 1 << 20;  // by which a file in memory grows

// "bodies/a/b", "position" → "/bodies/a%2Fb/position": only the first '/' of a group divides it.
std::string dataset_path(const Channel& channel) {
  std::string path = "/";
  if (!channel.group.empty()) {
    const std::size_t slash = channel.group.find('/');
    path += path_step(channel.group.substr(0, slash)) + "/";
    if (slash != std::string::npos) path += path_step(channel.group.substr(slash + 1)) + "/";
  }
  return path + path_step(channel.dataset);
}

// The channels that share one dataset.
struct Dataset {
  std::string path;
  std::vector<std::size_t> columns;
  bool scalar = false;  // one dimension, no components
};

std::vector<Dataset> datasets_of(std::span<const Channel> channels) {
  std::vector<Dataset> datasets;
  std::map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < channels.size(); ++i) {
    const std::string path = dataset_path(channels[i]);
    const auto [at, is_new] = known.try_emplace(path, datasets.size());
    if (is_new) datasets.push_back({.path = path, .columns = {}, .scalar = channels[i].component.empty()});
    Dataset& dataset = datasets[at->second];
    dataset.columns.push_back(i);
    if (dataset.columns.size() > 1) dataset.scalar = false;
  }
  return datasets;
}

std::vector<hsize_t> extent_of(const Dataset& dataset, std::size_t rows) {
  if (dataset.scalar) return {rows};
  return {rows, dataset.columns.size()};
}

void describe(hid_t object, const Dataset& dataset, std::span<const Channel> channels) {
  std::vector<std::string> units;
  std::vector<std::string> components;
  for (const std::size_t column : dataset.columns) {
    units.push_back(channels[column].unit);
    components.push_back(channels[column].component);
  }
  const bool one_unit = std::ranges::all_of(units, [&](const std::string& u) { return u == units[0]; });
  if (one_unit) {
    write_text(object, "unit", units[0]);
  } else {
    write_texts(object, "unit", units);
  }
  if (!dataset.scalar) write_texts(object, "components", components);
}

// "/bodies/crank/position.error": the errors of a dataset, beside it.
Dataset errors_of(Dataset dataset) {
  dataset.path += ".error";
  return dataset;
}

void write_dataset(hid_t file, const DatasetProperties& properties, const Dataset& dataset,
                   const Trajectory& trajectory) {
  const std::vector<hsize_t> extent = extent_of(dataset, trajectory.rows());
  const Handle space(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr), H5Sclose);
  const Handle object(H5Dcreate2(file, dataset.path.c_str(), H5T_IEEE_F64LE, space, properties.links,
                                 properties.creation, H5P_DEFAULT),
                      H5Dclose);
  describe(object, dataset, trajectory.channels);

  std::vector<double> values;
  values.reserve(trajectory.rows() * dataset.columns.size());
  for (std::size_t i = 0; i < trajectory.rows(); ++i) {
    for (const std::size_t column : dataset.columns) values.push_back(trajectory.row(i)[column]);
  }
  if (values.empty()) return;
  checked(H5Dwrite(object, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()));
}

// Whether any value of the dataset has an error that is known.
bool has_errors(const Dataset& dataset, const Trajectory& errors) {
  if (dataset.columns.front() == 0) return false;
  for (std::size_t i = 0; i < errors.rows(); ++i)
    for (const std::size_t column : dataset.columns)
      if (!std::isnan(errors.row(i)[column])) return true;
  return false;
}

void read_dataset(hid_t file, const Dataset& dataset, Trajectory& trajectory) {
  const Handle object(H5Dopen2(file, dataset.path.c_str(), H5P_DEFAULT), H5Dclose);
  const Handle space(H5Dget_space(object), H5Sclose);
  const std::size_t rows = trajectory.rows();
  std::vector<hsize_t> extent(static_cast<std::size_t>(checked(H5Sget_simple_extent_ndims(space))));
  checked(H5Sget_simple_extent_dims(space, extent.data(), nullptr));
  if (extent != extent_of(dataset, rows)) {
    throw std::runtime_error(fmt::format("its dataset '{}' has the wrong size", dataset.path));
  }
  std::vector<double> values(rows * dataset.columns.size());
  if (values.empty()) return;
  checked(H5Dread(object, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()));
  auto value = values.begin();
  for (std::size_t i = 0; i < rows; ++i) {
    for (const std::size_t column : dataset.columns) {
      trajectory.values[i * trajectory.channels.size() + column] = *value++;
    }
  }
}

std::size_t row_count(hid_t file, std::span<const Channel> channels) {
  const Handle time(H5Dopen2(file, dataset_path(channels.front()).c_str(), H5P_DEFAULT), H5Dclose);
  const Handle space(H5Dget_space(time), H5Sclose);
  return static_cast<std::size_t>(checked(H5Sget_simple_extent_npoints(space)));
}

void write_root(hid_t file, const results::LogContents& contents) {
  write_attribute(file, "format", H5T_NATIVE_UINT32, Handle(H5Screate(H5S_SCALAR), H5Sclose), &kFormat);
  write_text(file, "trammel_version", contents.header.version);
  write_text(file, "model", contents.header.model);
  write_json(file, "plan", contents.header.plan);
  write_json(file, "creation", contents.header.creation);
  write_json(file, "channels", results::channels_to_json(contents.trajectory.channels));
  if (contents.summary) write_json(file, "summary", *contents.summary);
}

// A group with datasets as those of the root.
void write_table(hid_t file, const results::AnalysisTables::Table& of) {
  const Handle group(H5Gcreate2(file, path_step(of.name).c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                     H5Gclose);
  write_json(group, "channels", results::channels_to_json(of.table.channels));
  const DatasetProperties properties;
  for (Dataset dataset : datasets_of(of.table.channels)) {
    dataset.path.erase(0, 1);  // from the group
    write_dataset(group, properties, dataset, of.table);
  }
}

void write_matrix(hid_t file, const results::AnalysisTables::Matrix& of) {
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows = of.matrix;
  const hsize_t sizes[2] = {static_cast<hsize_t>(rows.rows()), static_cast<hsize_t>(rows.cols())};
  const DatasetProperties properties;
  const Handle space(H5Screate_simple(2, sizes, nullptr), H5Sclose);
  const Handle object(H5Dcreate2(file, of.name.c_str(), H5T_IEEE_F64LE, space, properties.links,
                                 properties.creation, H5P_DEFAULT),
                      H5Dclose);
  if (rows.size() > 0)
    checked(H5Dwrite(object, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows.data()));
  if (!of.rows.empty()) write_texts(object, "rows", of.rows);
  if (!of.columns.empty()) write_texts(object, "columns", of.columns);
}

void require_format(hid_t file) {
  if (checked(H5Aexists(file, "format")) == 0) throw std::runtime_error("it is not a Trammel results file");
  const Handle attribute(H5Aopen(file, "format", H5P_DEFAULT), H5Aclose);
  std::uint32_t format = 0;
  checked(H5Aread(attribute, H5T_NATIVE_UINT32, &format));
  if (format == kFormat) return;
  throw std::runtime_error(fmt::format("its format is {}; this program reads {}", format, kFormat));
}

// HDF5 makes the file in memory and we write it: with a file of its own, HDF5 1.10 is left in a state
// that crashes the program at its exit when the disk is full.
void write_file(results::OutputFile& output, const results::LogContents& contents,
                const results::AnalysisTables& beside) {
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  checked(H5Pset_fapl_core(access, kGrowthBytes, false));
  Handle file(H5Fcreate("results in memory", H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose);
  write_root(file, contents);
  const DatasetProperties properties;
  for (const Dataset& dataset : datasets_of(contents.trajectory.channels)) {
    write_dataset(file, properties, dataset, contents.trajectory);
    if (has_errors(dataset, contents.errors))
      write_dataset(file, properties, errors_of(dataset), contents.errors);
  }
  if (!beside.analysis.empty()) write_text(file, "analysis", beside.analysis);
  for (const results::AnalysisTables::Table& table : beside.tables) write_table(file, table);
  for (const results::AnalysisTables::Matrix& matrix : beside.matrices) write_matrix(file, matrix);
  checked(H5Fflush(file, H5F_SCOPE_GLOBAL));
  const auto size = static_cast<std::size_t>(checked(H5Fget_file_image(file, nullptr, 0)));
  // The handle of a file in memory is the address of the pointer to its bytes.
  void* handle = nullptr;
  checked(H5Fget_vfd_handle(file, access, &handle));
  output.write({*static_cast<const char* const*>(handle), size});
  output.close();
  file.close();
}

Trajectory read_file(const std::filesystem::path& path) {
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  require_format(file);
  Trajectory trajectory;
  trajectory.channels = results::channels_from_json(nlohmann::json::parse(read_text(file, "channels")));
  if (trajectory.channels.empty()) throw std::runtime_error("it has no columns");
  trajectory.values.resize(row_count(file, trajectory.channels) * trajectory.channels.size());
  for (const Dataset& dataset : datasets_of(trajectory.channels)) read_dataset(file, dataset, trajectory);
  return trajectory;
}

results::LogHeader read_root(const std::filesystem::path& path) {
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  require_format(file);
  const auto json = [&](const char* name) { return nlohmann::json::parse(read_text(file, name)); };
  return {.model = read_text(file, "model"),
          .plan = json("plan"),
          .channels = results::channels_from_json(json("channels")),
          .version = read_text(file, "trammel_version"),
          .creation = json("creation")};
}

// What helps where results cannot be read: the log of the run, if it is still beside them.
std::string advice(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.parent_path();
  std::error_code ignored;
  if (path.filename() != "results.h5" || !std::filesystem::exists(folder / "results.log", ignored)) return "";
  return fmt::format("; 'trammel recover {}' makes it again from results.log",
                     folder.empty() ? "." : folder.string());
}

// Every reading of a file: what goes wrong is told with the path.
template <class Result>
Result reading(const std::filesystem::path& path, Result (*read)(const std::filesystem::path&)) {
  const Quiet quiet;
  if (!std::ifstream(path)) {
    const int error = errno;
    throw std::runtime_error(fmt::format("cannot read '{}': {}{}", path.string(),
                                         std::generic_category().message(error), advice(path)));
  }
  try {
    return read(path);
  } catch (const std::exception& error) {
    throw std::runtime_error(
        fmt::format("cannot read '{}': {}{}", path.string(), error.what(), advice(path)));
  }
}

}  // namespace

void results::write_hdf5(const std::filesystem::path& path, const results::LogContents& contents,
                         const results::AnalysisTables& beside) {
  const Trajectory& trajectory = contents.trajectory;
  for (std::size_t i = 0; i < trajectory.rows(); ++i)
    results::require_valid(trajectory.channels, trajectory.row(i));
  const Quiet quiet;
  results::PartialFile partial(path);
  results::OutputFile output(partial.path(), path);
  try {
    write_file(output, contents, beside);
  } catch (const Hdf5Error& error) {
    throw WriteError(fmt::format("cannot write '{}': {}", path.string(), error.what()));
  }
  partial.commit();
}

Trajectory read_hdf5(const std::filesystem::path& path) { return reading(path, read_file); }
results::LogHeader results::read_hdf5_header(const std::filesystem::path& path) {
  return reading(path, read_root);
}

}  // namespace trammel
