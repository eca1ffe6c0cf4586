// MJCF, the files of MuJoCo: the sections in the order in which they need each other.
#include "model/import/mjcf.h"

namespace trammel::model {
namespace {

void find_assets(Mjcf& mjcf) {
  for (XmlNode* node : mjcf.in_sections("asset")) {
    if (const XmlAttribute* name = node->attribute("name"); node->name == "material" && name != nullptr)
      mjcf.materials.emplace(name->value, node);
    if (node->name != "mesh") continue;
    const std::string* name = ForeignReader::text(*node, "name");
    const std::string* file = ForeignReader::text(*node, "file");
    // A mesh without a name is called like its file.
    if (name != nullptr)
      mjcf.meshes.emplace(*name, node);
    else if (file != nullptr)
      mjcf.meshes.emplace(std::filesystem::path(*file).stem().string(), node);
  }
}

}  // namespace

Robot read_mjcf(ForeignReader& reader, ForeignFile& file) {
  Mjcf mjcf{reader, file};
  ForeignReader::use(file.root);
  include_files(reader, file.root, file.path.parent_path());
  if (!reader.errors().empty()) return {};
  if (const std::string* name = ForeignReader::text(file.root, "model")) mjcf.robot.name = *name;
  mjcf.classes.read(reader, file.root);
  read_mjcf_settings(mjcf);
  find_assets(mjcf);
  read_mjcf_bodies(mjcf);
  if (reader.errors().empty()) read_mjcf_tendons(mjcf);
  if (reader.errors().empty()) read_mjcf_equalities(mjcf);
  if (reader.errors().empty()) read_mjcf_actuators(mjcf);
  note_mjcf_rest(mjcf);
  return std::move(mjcf.robot);
}

}  // namespace trammel::model
