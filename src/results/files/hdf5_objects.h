// What reading and writing of HDF5 files share: identifiers that are closed, failures that are thrown, and
// how the columns of results become datasets (results_hdf5.h).
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trammel/trajectory.h"

namespace trammel::results::hdf5 {

constexpr std::uint32_t kFormat = 1;

// While it lives HDF5 prints nothing; before and after, the printing is the caller's.
class Quiet {
 public:
  Quiet() {
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Quiet() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

struct Hdf5Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The cause that HDF5 noted deepest down, which is the one that says most.
std::string last_error();

// Every answer of HDF5 goes through here: negative means failure.
template <class Result>
Result checked(Result result) {
  if (result < 0) throw Hdf5Error(last_error());
  return result;
}

// An HDF5 identifier and the function that closes it.
class Handle {
 public:
  Handle(hid_t id, herr_t (*closer)(hid_t)) : id_(checked(id)), close_(closer) {}
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator hid_t() const { return id_; }

  void close() { checked(close_(std::exchange(id_, -1))); }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

// Of variable length: a model's text may pass the 64 kB that fit into an attribute itself.
class TextType : public Handle {
 public:
  TextType() : Handle(H5Tcopy(H5T_C_S1), H5Tclose) {
    checked(H5Tset_size(*this, H5T_VARIABLE));
    checked(H5Tset_cset(*this, H5T_CSET_UTF8));
  }
};

// How every dataset is made: with the groups of its path, with names in UTF-8, without the date.
struct DatasetProperties {
  Handle links{H5Pcreate(H5P_LINK_CREATE), H5Pclose}, creation{H5Pcreate(H5P_DATASET_CREATE), H5Pclose};
  DatasetProperties() {
    checked(H5Pset_create_intermediate_group(links, 1));
    checked(H5Pset_char_encoding(links, H5T_CSET_UTF8));
    checked(H5Pset_obj_track_times(creation, false));
  }
};

// Attributes.
void write_attribute(hid_t object, const char* name, hid_t type, hid_t space, const void* value);
void write_text(hid_t object, const char* name, const std::string& text);
void write_texts(hid_t object, const char* name, std::span<const std::string> texts);
void write_json(hid_t object, const char* name, const nlohmann::json& json);
std::string read_text(hid_t object, const char* name);

// One step of a path, different for different names (see results_hdf5.h).
std::string path_step(std::string_view name);
// "bodies/a/b", "position" → "/bodies/a%2Fb/position": only the first '/' of a group divides it.
std::string dataset_path(const Channel& channel);

// The channels that share one dataset.
struct Dataset {
  std::string path;
  std::vector<std::size_t> columns;
  bool scalar = false;  // one dimension, no components
};

// "/bodies/crank/position.error": the errors of a dataset, beside it.
inline Dataset errors_of(Dataset dataset) {
  dataset.path += ".error";
  return dataset;
}

std::vector<Dataset> datasets_of(std::span<const Channel> channels);
std::vector<hsize_t> extent_of(const Dataset& dataset, std::size_t rows);

}  // namespace trammel::results::hdf5
