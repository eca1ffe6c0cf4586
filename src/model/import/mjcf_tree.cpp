#include "model/import/mjcf_tree.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "model/reader/model_file.h"

namespace trammel::model {
namespace {

constexpr const char* kMainClass = "main";

class Inclusion {
 public:
  Inclusion(ForeignReader& reader, std::filesystem::path folder)
      : reader_(reader), folder_(std::move(folder)) {}

  void expand(XmlNode& node) {
    std::vector<XmlNode> children;
    for (XmlNode& child : node.children) {
      if (child.name != "include") {
        expand(child);
        children.push_back(std::move(child));
        continue;
      }
      std::vector<XmlNode> included = read(child);
      children.push_back(std::move(child));
      std::ranges::move(included, std::back_inserter(children));
    }
    node.children = std::move(children);
  }

 private:
  std::vector<XmlNode> read(XmlNode& include) {
    const std::string* name = ForeignReader::text(include, "file");
    if (name == nullptr) {
      reader_.refuse(include, "<include> names no file", "add file=\"…\"");
      return {};
    }
    // Beside the main file, as all of MuJoCo's files; else beside the one that includes it.
    std::filesystem::path path = folder_ / *name;
    if (!std::filesystem::exists(path)) path = std::filesystem::path(*include.file).parent_path() / *name;
    if (!included_.insert(path.lexically_normal().string()).second) {
      reader_.refuse(include, fmt::format("'{}' is included twice", *name), "include it once");
      return {};
    }
    const FileText file = read_model_file(path.string());
    if (file.error) {
      reader_.refuse(include, fmt::format("'{}' cannot be included: {}", *name, file.error->message),
                     "check the name; it is looked for beside the main file");
      return {};
    }
    XmlDocument document = parse_xml(file.text, path.string());
    if (!document.errors.empty()) {
      ForeignReader::use(include);
      for (const InputError& error : document.errors) reader_.errors().push_back(error);
      return {};
    }
    ForeignReader::use(include, "its elements stand in its place");
    expand(document.root);
    std::vector<XmlNode> children = std::move(document.root.children);
    document.root.children.clear();
    document.root.note = {Treatment::used, "included", false};
    for (XmlAttribute& a : document.root.attributes)
      a.note = {Treatment::ignored, "the name of an included file", false};
    include.children.push_back(std::move(document.root));
    return children;
  }

  ForeignReader& reader_;
  std::filesystem::path folder_;
  std::set<std::string> included_;
};

}  // namespace

void include_files(ForeignReader& reader, XmlNode& root, const std::filesystem::path& folder) {
  Inclusion(reader, folder).expand(root);
}

XmlNode* MjcfElement::holder(const std::string& attribute) const {
  if (own_->attribute(attribute) != nullptr) return own_;
  const auto found =
      std::ranges::find_if(inherited_, [&](XmlNode* n) { return n->attribute(attribute) != nullptr; });
  return found == inherited_.end() ? nullptr : *found;
}

const std::string* MjcfElement::text(const std::string& attribute) const {
  XmlNode* at = holder(attribute);
  return at == nullptr ? nullptr : ForeignReader::text(*at, attribute);
}

std::string MjcfElement::text(const std::string& attribute, const std::string& otherwise) const {
  const std::string* found = text(attribute);
  return found == nullptr ? otherwise : *found;
}

std::optional<std::vector<double>> MjcfElement::numbers(const std::string& attribute, std::size_t least,
                                                        std::size_t most) const {
  XmlNode* at = holder(attribute);
  return at == nullptr ? std::nullopt : reader_->numbers(*at, attribute, least, most);
}

double MjcfElement::number(const std::string& attribute, double otherwise) const {
  const auto found = numbers(attribute, 1, 1);
  return found ? found->front() : otherwise;
}

Vec3 MjcfElement::vector(const std::string& attribute, const Vec3& otherwise) const {
  const auto found = numbers(attribute, 3, 3);
  return found ? Vec3((*found)[0], (*found)[1], (*found)[2]) : otherwise;
}

std::string MjcfElement::word(const std::string& attribute, std::initializer_list<const char*> words) const {
  const std::string* found = text(attribute);
  if (found == nullptr) return *words.begin();
  if (std::ranges::any_of(words, [&](const char* w) { return *found == w; })) return *found;
  refuse(attribute, fmt::format("{}: {}=\"{}\" is not known", xml_label(*own_), attribute, *found),
         fmt::format("use one of {}", fmt::join(words, ", ")));
  return *words.begin();
}

bool MjcfElement::flag(const std::string& attribute, bool otherwise) const {
  if (!has(attribute)) return otherwise;
  return word(attribute, {"false", "true"}) == "true";
}

void MjcfElement::refuse(const std::string& attribute, const std::string& message,
                         const std::string& remedy) const {
  if (XmlNode* at = holder(attribute))
    reader_->refuse(*at, *at->attribute(attribute), message, remedy);
  else
    reader_->refuse(*own_, message, remedy);
}

void MjcfElement::ignore(const std::string& attribute, const std::string& why, bool matters) const {
  XmlNode* at = holder(attribute);
  if (at == nullptr) return;
  XmlNote& note = at->attribute(attribute)->note;
  if (note.outcome != Treatment::refused) note = {Treatment::ignored, why, matters};
}

void MjcfClasses::read(ForeignReader& reader, XmlNode& root) {
  for (XmlNode* node : root.all("default")) add(reader, *node, "");
}

void MjcfClasses::add(ForeignReader& reader, XmlNode& node, const std::string& around) {
  ForeignReader::use(node);
  const std::string* given = ForeignReader::text(node, "class");
  if (given == nullptr && !around.empty())
    return reader.refuse(node, "a default class inside another has no name", "add class=\"…\"");
  const std::string name = given == nullptr ? kMainClass : *given;
  Class& known = classes_[name];
  known.around = around;
  known.nodes.push_back(&node);
  // The outermost class is that of all elements, whatever it is called.
  if (around.empty() && name != kMainClass) classes_[kMainClass].nodes.push_back(&node);
  for (XmlNode* child : node.all("default")) add(reader, *child, name);
}

MjcfElement MjcfClasses::element(ForeignReader& reader, XmlNode& node, const std::string& around,
                                 std::span<const char* const> tags) const {
  const std::string* own = ForeignReader::text(node, "class");
  std::string name = own != nullptr ? *own : around.empty() ? kMainClass : around;
  if (!classes_.contains(name)) {
    if (own != nullptr)
      reader.refuse(node, *node.attribute("class"),
                    fmt::format("{}: there is no default class '{}'", xml_label(node), name),
                    "name a class of <default>");
    name = kMainClass;
  }
  std::vector<XmlNode*> inherited;
  while (!name.empty()) {
    const Class& at = classes_.at(name);
    for (auto holder = at.nodes.rbegin(); holder != at.nodes.rend(); ++holder)
      for (XmlNode& child : (*holder)->children) {
        const bool is_own = tags.empty() ? child.name == node.name
                                         : std::ranges::any_of(tags, [&](auto t) { return child.name == t; });
        if (is_own) inherited.push_back(&child);
      }
    name = at.around;
  }
  return {reader, node, std::move(inherited)};
}

}  // namespace trammel::model
