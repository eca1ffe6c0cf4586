// The side file of an extended URDF, robot.yaml beside robot.urdf:
//
//   closed_loop: [[A, B], …]      frames that coincide, by the names of joints or links
//   type: ['3d', '6d', …]         their origins, or their axes too; one for each pair
//   joint_name: […], joint_type: [SPHERICAL, FIXED, …]   instead of the types in the URDF file
//   name_mot: […]                 joints with a motor
#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "model/import/urdf.h"
#include "model/yaml/yaml_tree.h"

namespace trammel::model {
namespace {

class LoopsReader {
 public:
  LoopsReader(ForeignReader& reader, ForeignFile& file, UrdfLoops& loops)
      : reader_(reader), file_(file), loops_(loops) {}

  void read(const std::string& text) {
    const YamlDocument document = parse_yaml(text);
    for (const YamlError& error : document.errors)
      reader_.errors().push_back({loops_.file, error.line, error.column, error.message, error.remedy});
    if (!document.is_complete) return;
    const YamlNode& root = document.root;
    if (!root.is_map()) return refuse(1, "the side file has no keys", "give closed_loop: [[A, B], …]");
    read_pairs(root);
    read_types(root);
    for (std::size_t i = 0; i < root.entries(); ++i) {
      const std::string& key = root.key(i).text;
      const int line = root.key(i).line;
      if (key == "closed_loop" || key == "type" || key == "joint_name" || key == "joint_type")
        note(key, line, Treatment::used, "");
      else if (key == "name_mot")
        note(key, line, Treatment::ignored,
             "which joints have motors: add the motors that you want to the model");
      else
        note(key, line, Treatment::ignored, "Trammel does not know this key here", true);
    }
  }

 private:
  void note(const std::string& element, int line, Treatment outcome, const std::string& why,
            bool matters = false) {
    file_.side_ledger.push_back({element, loops_.file, line, outcome, why, matters});
  }

  void refuse(int line, const std::string& message, const std::string& remedy) {
    reader_.errors().push_back({loops_.file, line, 0, message, remedy});
  }

  void read_pairs(const YamlNode& root) {
    const YamlNode* pairs = root.find("closed_loop");
    const YamlNode* types = root.find("type");
    if (pairs == nullptr) return;
    if (!pairs->is_sequence())
      return refuse(pairs->line, "closed_loop is not a list of pairs", "write [[A, B], [C, D]]");
    for (std::size_t i = 0; i < pairs->children.size(); ++i) {
      const YamlNode& pair = pairs->children[i];
      if (!pair.is_sequence() || pair.children.size() != 2 || !pair.children[0].is_scalar() ||
          !pair.children[1].is_scalar()) {
        refuse(pair.line, "an entry of closed_loop is not two names", "write [A, B]");
        continue;
      }
      UrdfLoops::Pair loop{pair.children[0].text, pair.children[1].text, true, pair.line};
      if (types != nullptr && types->is_sequence() && i < types->children.size()) {
        const std::string& type = types->children[i].text;
        loop.whole = type == "6d" || type == "6D";
        if (!loop.whole && type != "3d" && type != "3D")
          refuse(types->children[i].line, fmt::format("type '{}' is no type of a loop", type),
                 "use '3d' or '6d'");
      }
      loops_.pairs.push_back(loop);
    }
    if (types != nullptr && types->children.size() != pairs->children.size())
      refuse(types->line,
             fmt::format("type has {} entries for {} pairs of closed_loop", types->children.size(),
                         pairs->children.size()),
             "give one for each pair");
  }

  void read_types(const YamlNode& root) {
    const YamlNode *names = root.find("joint_name"), *types = root.find("joint_type");
    if (names == nullptr && types == nullptr) return;
    if (names == nullptr || types == nullptr || names->children.size() != types->children.size())
      return refuse((names != nullptr ? names : types)->line,
                    "joint_name and joint_type are not lists of the same length",
                    "give one type for each name");
    for (std::size_t i = 0; i < names->children.size(); ++i)
      loops_.joint_types[names->children[i].text] = types->children[i].text;
  }

  ForeignReader& reader_;
  ForeignFile& file_;
  UrdfLoops& loops_;
};

}  // namespace

UrdfLoops read_urdf_loops(ForeignReader& reader, ForeignFile& file) {
  UrdfLoops loops;
  const bool is_asked = !reader.options().loops.empty();
  const std::filesystem::path path = is_asked ? std::filesystem::path(reader.options().loops)
                                              : std::filesystem::path(file.path).replace_extension(".yaml");
  std::ifstream in(path, std::ios::binary);
  loops.file = path.string();
  if (!in || !std::filesystem::is_regular_file(path)) {
    if (is_asked)
      reader.errors().push_back({loops.file, 0, 0, "cannot read the file of loops", "check the name"});
    return loops;
  }
  std::string text(kMaxModelBytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  // Another file of that name beside it, such as a model that was made of it, is none of ours.
  const auto has = [&](const char* key) { return text.find(key) != std::string::npos; };
  if (is_asked || has("closed_loop") || has("joint_type")) LoopsReader(reader, file, loops).read(text);
  return loops;
}

}  // namespace trammel::model
