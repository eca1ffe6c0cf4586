#include "results/files/hdf5_objects.h"

#include <fmt/format.h>

#include <map>

namespace trammel::results::hdf5 {

std::string last_error() {
  std::string text;
  const auto keep_first = [](unsigned depth, const H5E_error2_t* error, void* result) -> herr_t {
    if (depth == 0 && error->desc != nullptr) *static_cast<std::string*>(result) = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &text);
  return text.empty() ? "HDF5 gives no reason" : text;
}

std::string path_step(std::string_view name) {
  if (name.empty()) return "%";
  if (name == ".") return "%2E";
  std::string step;
  for (const char c : name) {
    if (c == '/' || c == '%' || c == '\0') {
      step += fmt::format("%{:02X}", static_cast<unsigned>(c));
    } else {
      step += c;
    }
  }
  return step;
}

std::string dataset_path(const Channel& channel) {
  std::string path = "/";
  if (!channel.group.empty()) {
    const std::size_t slash = channel.group.find('/');
    path += path_step(channel.group.substr(0, slash)) + "/";
    if (slash != std::string::npos) path += path_step(channel.group.substr(slash + 1)) + "/";
  }
  return path + path_step(channel.dataset);
}

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

}  // namespace trammel::results::hdf5
