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

void write_attribute(hid_t object, const char* name, hid_t type, hid_t space, const void* value) {
  const Handle attribute(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  checked(H5Awrite(attribute, type, value));
}

void write_text(hid_t object, const char* name, const std::string& text) {
  const char* value = text.c_str();
  write_attribute(object, name, TextType(), Handle(H5Screate(H5S_SCALAR), H5Sclose), &value);
}

void write_texts(hid_t object, const char* name, std::span<const std::string> texts) {
  std::vector<const char*> values;
  for (const std::string& text : texts) values.push_back(text.c_str());
  const hsize_t size = values.size();
  write_attribute(object, name, TextType(), Handle(H5Screate_simple(1, &size, nullptr), H5Sclose),
                  values.data());
}

void write_json(hid_t object, const char* name, const nlohmann::json& json) {
  write_text(object, name, json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

std::string read_text(hid_t object, const char* name) {
  const Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
  const Handle space(H5Aget_space(attribute), H5Sclose);
  const TextType type;
  if (H5Sget_simple_extent_npoints(space) != 1) {
    throw std::runtime_error(fmt::format("its attribute '{}' is not one text", name));
  }
  char* value = nullptr;
  checked(H5Aread(attribute, type, &value));
  std::string text = value == nullptr ? "" : value;
  checked(H5Dvlen_reclaim(type, space, H5P_DEFAULT, static_cast<void*>(&value)));
  return text;
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
