// A, B, C and D of a linearization as a file for other programs: MATLAB's .mat (version 5), HDF5 (.h5) or
// text (.csv).
//
// Matrices have their names. The names of states, inputs and outputs are `states`, `inputs` and `outputs`: in
// .mat and .h5 texts with one name in a line, in .csv comments.
#include "trammel/results.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hdf5.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <utility>
#include <vector>

namespace trammel::results {
namespace {

struct Named {
  const char* name;
  const Eigen::MatrixXd* matrix;
};

std::vector<Named> matrices_of(const StateSpace& linear) {
  return {{"A", &linear.A}, {"B", &linear.B}, {"C", &linear.C}, {"D", &linear.D}};
}

std::vector<std::pair<const char*, std::string>> names_of(const StateSpace& linear) {
  return {{"states", fmt::format("{}", fmt::join(linear.states, "\n"))},
          {"inputs", fmt::format("{}", fmt::join(linear.inputs, "\n"))},
          {"outputs", fmt::format("{}", fmt::join(linear.outputs, "\n"))}};
}

// MATLAB's level 5: elements of a type, a size in bytes and data, filled up to eight bytes.
class MatFile {
 public:
  MatFile() {
    bytes_ = "MATLAB 5.0 MAT-file, written by Trammel";
    bytes_.resize(124, ' ');
    put<std::uint16_t>(0x0100);
    put<std::uint16_t>(0x4d49);  // "MI": the order of bytes is that of this machine
  }
  void add(const char* name, const Eigen::MatrixXd& matrix) {
    begin(name, kDoubleClass, matrix.rows(), matrix.cols());
    element(kDouble, matrix.data(), static_cast<std::size_t>(matrix.size()) * sizeof(double));  // by columns
    end();
  }
  void add(const char* name, const std::string& text) {
    const std::u16string wide(text.begin(), text.end());
    begin(name, kCharClass, text.empty() ? 0 : 1, static_cast<Eigen::Index>(wide.size()));
    element(kUint16, wide.data(), wide.size() * sizeof(char16_t));
    end();
  }
  const std::string& bytes() const { return bytes_; }

 private:
  static constexpr std::uint32_t kInt8 = 1, kUint16 = 4, kInt32 = 5, kUint32 = 6, kDouble = 9, kMatrix = 14,
                                 kCharClass = 4, kDoubleClass = 6;

  template <class T>
  void put(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(T));
  }
  void element(std::uint32_t type, const void* data, std::size_t size) {
    put(type);
    put(static_cast<std::uint32_t>(size));
    if (size > 0) bytes_.append(static_cast<const char*>(data), size);
    bytes_.resize((bytes_.size() + 7) / 8 * 8, '\0');
  }
  void begin(const char* name, std::uint32_t kind, Eigen::Index rows, Eigen::Index columns) {
    put(kMatrix);
    size_at_ = bytes_.size();
    put<std::uint32_t>(0);
    const std::uint32_t flags[2] = {kind, 0};
    element(kUint32, flags, sizeof flags);
    const std::int32_t sizes[2] = {static_cast<std::int32_t>(rows), static_cast<std::int32_t>(columns)};
    element(kInt32, sizes, sizeof sizes);
    element(kInt8, name, std::strlen(name));
  }
  void end() {
    const auto size = static_cast<std::uint32_t>(bytes_.size() - size_at_ - sizeof(std::uint32_t));
    std::memcpy(bytes_.data() + size_at_, &size, sizeof size);
  }

  std::string bytes_;
  std::size_t size_at_ = 0;
};

std::string csv(const StateSpace& linear) {
  std::string text;
  for (const auto& [name, names] : names_of(linear)) {
    std::string line = names;
    for (char& c : line)
      if (c == '\n') c = ',';
    text += fmt::format("# {}: {}\n", name, line);
  }
  for (const auto& [name, matrix] : matrices_of(linear)) {
    text += fmt::format("# {}: {} x {}\n", name, matrix->rows(), matrix->cols());
    for (const auto& row : matrix->rowwise())
      text += fmt::format("{}\n", fmt::join(std::vector<double>(row.begin(), row.end()), ","));
  }
  return text;
}

void write_bytes(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  file.close();
  if (!file) throw std::runtime_error(fmt::format("'{}' cannot be written", path.string()));
}

void write_h5(const std::filesystem::path& path, const StateSpace& linear) {
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  if (file < 0) throw std::runtime_error(fmt::format("'{}' cannot be written", path.string()));
  bool written = true;
  for (const auto& [name, matrix] : matrices_of(linear)) {
    const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows = *matrix;
    const hsize_t sizes[2] = {static_cast<hsize_t>(rows.rows()), static_cast<hsize_t>(rows.cols())};
    const hid_t space = H5Screate_simple(2, sizes, nullptr);
    const hid_t data = H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    written = written && data >= 0 &&
              (rows.size() == 0 ||
               H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows.data()) >= 0);
    H5Dclose(data);
    H5Sclose(space);
  }
  for (const auto& [name, text] : names_of(linear)) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, std::max<std::size_t>(text.size(), 1));
    H5Tset_cset(type, H5T_CSET_UTF8);
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attribute = H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    written = written && attribute >= 0 && H5Awrite(attribute, type, text.c_str()) >= 0;
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
  }
  if (H5Fclose(file) < 0 || !written)
    throw std::runtime_error(fmt::format("'{}' cannot be written", path.string()));
}

}  // namespace
}  // namespace trammel::results

namespace trammel {

void write_matrices(const std::filesystem::path& path, const StateSpace& linear) {
  if (path.extension() == ".mat") {
    results::MatFile file;
    for (const auto& [name, matrix] : results::matrices_of(linear)) file.add(name, *matrix);
    for (const auto& [name, text] : results::names_of(linear)) file.add(name, text);
    results::write_bytes(path, file.bytes());
  } else if (path.extension() == ".csv") {
    results::write_bytes(path, results::csv(linear));
  } else if (path.extension() == ".h5") {
    results::write_h5(path, linear);
  } else {
    throw std::runtime_error(fmt::format(
        "'{}': matrices are written as .mat, .h5 or .csv, by the ending of the file", path.string()));
  }
}

}  // namespace trammel
