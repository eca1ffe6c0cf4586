#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <system_error>

#include "results/files/hdf5_objects.h"
#include "results/files/results_hdf5.h"
#include "trammel/run.h"

namespace trammel::results::hdf5 {
namespace {

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

void require_format(hid_t file) {
  if (checked(H5Aexists(file, "format")) == 0) throw std::runtime_error("it is not a Trammel results file");
  const Handle attribute(H5Aopen(file, "format", H5P_DEFAULT), H5Aclose);
  std::uint32_t format = 0;
  checked(H5Aread(attribute, H5T_NATIVE_UINT32, &format));
  if (format == kFormat) return;
  throw std::runtime_error(fmt::format("its format is {}; this program reads {}", format, kFormat));
}

Trajectory read_file(const std::filesystem::path& path) {
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  require_format(file);
  Trajectory trajectory;
  trajectory.channels = channels_from_json(nlohmann::json::parse(read_text(file, "channels")));
  if (trajectory.channels.empty()) throw std::runtime_error("it has no columns");
  trajectory.values.resize(row_count(file, trajectory.channels) * trajectory.channels.size());
  for (const Dataset& dataset : datasets_of(trajectory.channels)) read_dataset(file, dataset, trajectory);
  return trajectory;
}

// Errors of the values, NaN where none is known.
Trajectory read_errors_of(const std::filesystem::path& path) {
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  require_format(file);
  Trajectory errors;
  errors.channels = channels_from_json(nlohmann::json::parse(read_text(file, "channels")));
  if (errors.channels.empty()) throw std::runtime_error("it has no columns");
  errors.values.assign(row_count(file, errors.channels) * errors.channels.size(),
                       std::numeric_limits<double>::quiet_NaN());
  for (const Dataset& dataset : datasets_of(errors.channels))
    if (const Dataset beside = errors_of(dataset); H5Lexists(file, beside.path.c_str(), H5P_DEFAULT) > 0)
      read_dataset(file, beside, errors);
  return errors;
}

LogHeader read_root(const std::filesystem::path& path) {
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  require_format(file);
  const auto json = [&](const char* name) { return nlohmann::json::parse(read_text(file, name)); };
  return {.model = read_text(file, "model"),
          .plan = json("plan"),
          .channels = channels_from_json(json("channels")),
          .version = read_text(file, "trammel_version"),
          .creation = json("creation")};
}

LogContents read_run_of(const std::filesystem::path& path) {
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  require_format(file);
  if (checked(H5Aexists(file, "analysis")) != 0)
    throw std::runtime_error(
        fmt::format("it has the rows of an analysis, {}, and no run", read_text(file, "analysis")));
  LogContents contents;
  contents.header = read_root(path);
  contents.trajectory = read_file(path);
  contents.errors = read_errors_of(path);
  contents.errors.channels = error_channels(contents.errors.channels);
  if (std::ranges::all_of(contents.errors.values, [](double error) { return std::isnan(error); }))
    contents.errors.values.clear();  // there was no second run
  for (std::size_t i = 0; i < contents.errors.rows(); ++i)
    contents.errors.values[i * contents.errors.channels.size()] = contents.trajectory.row(i)[0];
  if (checked(H5Aexists(file, "summary")) != 0)
    contents.summary = nlohmann::json::parse(read_text(file, "summary"));
  return contents;
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
}  // namespace trammel::results::hdf5

namespace trammel {

Trajectory read_hdf5(const std::filesystem::path& path) {
  return results::hdf5::reading(path, results::hdf5::read_file);
}

Trajectory results::read_hdf5_errors(const std::filesystem::path& path) {
  return hdf5::reading(path, hdf5::read_errors_of);
}

results::LogHeader results::read_hdf5_header(const std::filesystem::path& path) {
  return hdf5::reading(path, hdf5::read_root);
}

results::LogContents results::read_hdf5_run(const std::filesystem::path& path) {
  return hdf5::reading(path, hdf5::read_run_of);
}

}  // namespace trammel
