#include "results/files/results_hdf5.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "results/files/hdf5_objects.h"
#include "results/files/results_file.h"

namespace trammel::results {
namespace hdf5 {
namespace {

constexpr std::size_t kGrowthBytes = 1 << 20;  // by which a file in memory grows

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

void write_root(hid_t file, const LogContents& contents) {
  write_attribute(file, "format", H5T_NATIVE_UINT32, Handle(H5Screate(H5S_SCALAR), H5Sclose), &kFormat);
  write_text(file, "trammel_version", contents.header.version);
  write_text(file, "model", contents.header.model);
  write_json(file, "plan", contents.header.plan);
  write_json(file, "creation", contents.header.creation);
  write_json(file, "channels", channels_to_json(contents.trajectory.channels));
  if (contents.summary) write_json(file, "summary", *contents.summary);
}

// A group with datasets as those of the root.
void write_table(hid_t file, const AnalysisTables::Table& of) {
  const Handle group(H5Gcreate2(file, path_step(of.name).c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                     H5Gclose);
  write_json(group, "channels", channels_to_json(of.table.channels));
  const DatasetProperties properties;
  for (Dataset dataset : datasets_of(of.table.channels)) {
    dataset.path.erase(0, 1);  // from the group
    write_dataset(group, properties, dataset, of.table);
  }
}

void write_matrix(hid_t file, const AnalysisTables::Matrix& of) {
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

// HDF5 makes the file in memory and we write it: with a file of its own, HDF5 1.10 is left in a state
// that crashes the program at its exit when the disk is full.
Handle in_memory() {
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  checked(H5Pset_fapl_core(access, kGrowthBytes, false));
  // HDF5 takes files of one name for the same file.
  static std::atomic<unsigned long> made = 0;
  return {H5Fcreate(fmt::format("results in memory {}", ++made).c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access),
          H5Fclose};
}

void write_memory(hid_t file, OutputFile& output) {
  checked(H5Fflush(file, H5F_SCOPE_GLOBAL));
  const auto size = static_cast<std::size_t>(checked(H5Fget_file_image(file, nullptr, 0)));
  // The handle of a file in memory is the address of the pointer to its bytes.
  void* handle = nullptr;
  checked(H5Fget_vfd_handle(file, H5P_DEFAULT, &handle));
  output.write({*static_cast<const char* const*>(handle), size});
  output.close();
}

void write_rest(hid_t file, const LogContents& contents, const AnalysisTables& beside) {
  write_root(file, contents);
  const DatasetProperties properties;
  for (const Dataset& dataset : datasets_of(contents.trajectory.channels))
    if (has_errors(dataset, contents.errors))
      write_dataset(file, properties, errors_of(dataset), contents.errors);
  if (!beside.analysis.empty()) write_text(file, "analysis", beside.analysis);
  for (const AnalysisTables::Table& table : beside.tables) write_table(file, table);
  for (const AnalysisTables::Matrix& matrix : beside.matrices) write_matrix(file, matrix);
}

// What HDF5 says is told with the path.
template <class Call>
void writing(const std::filesystem::path& path, const Call& call) {
  const Quiet quiet;
  try {
    call();
  } catch (const Hdf5Error& error) {
    throw WriteError(fmt::format("cannot write '{}': {}", path.string(), error.what()));
  }
}

}  // namespace
}  // namespace hdf5

struct Hdf5File::Memory {
  hdf5::Handle file = hdf5::in_memory();
};

Hdf5File::Hdf5File(std::filesystem::path path, const Trajectory& rows) : path_(std::move(path)) {
  for (std::size_t i = 0; i < rows.rows(); ++i) require_valid(rows.channels, rows.row(i));
  hdf5::writing(path_, [&] {
    memory_ = std::make_unique<Memory>();
    const hdf5::DatasetProperties properties;
    for (const hdf5::Dataset& dataset : hdf5::datasets_of(rows.channels))
      hdf5::write_dataset(memory_->file, properties, dataset, rows);
  });
}

Hdf5File::~Hdf5File() = default;

void Hdf5File::finish(const LogContents& contents, const AnalysisTables& beside) {
  PartialFile partial(path_);
  OutputFile output(partial.path(), path_);
  hdf5::writing(path_, [&] {
    hdf5::write_rest(memory_->file, contents, beside);
    hdf5::write_memory(memory_->file, output);
    memory_->file.close();
  });
  partial.commit();
}

void write_hdf5(const std::filesystem::path& path, const LogContents& contents,
                const AnalysisTables& beside) {
  Hdf5File(path, contents.trajectory).finish(contents, beside);
}

}  // namespace trammel::results
