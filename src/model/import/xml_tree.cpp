#include "model/import/xml_tree.h"

#include <fmt/format.h>
#include <tinyxml2.h>

#include <algorithm>

#include "model/yaml/yaml_tree.h"

namespace trammel::model {
namespace {

constexpr std::size_t kMaxElements = 1'000'000;

struct TreeCopy {
  std::shared_ptr<const std::string> file;
  std::size_t elements = 0;

  XmlNode copy(const tinyxml2::XMLElement& from) {
    XmlNode node;
    node.name = from.Name();
    node.file = file;
    node.line = from.GetLineNum();
    for (const auto* a = from.FirstAttribute(); a != nullptr; a = a->Next())
      node.attributes.push_back({a->Name(), a->Value(), a->GetLineNum(), {}});
    for (const auto* c = from.FirstChild(); c != nullptr; c = c->NextSibling())
      if (const tinyxml2::XMLText* text = c->ToText()) node.text += text->Value();
    for (const auto* c = from.FirstChildElement(); c != nullptr; c = c->NextSiblingElement())
      if (++elements <= kMaxElements) node.children.push_back(copy(*c));
    return node;
  }
};

// "Error=XML_ERROR_MISMATCHED_ELEMENT ErrorID=14 (0xe) Line number=3: XMLElement name=link", in plain words
std::string xml_error_text(const tinyxml2::XMLDocument& document) {
  std::string name = document.ErrorName();
  if (name.starts_with("XML_ERROR_")) name.erase(0, 10);
  std::ranges::transform(name, name.begin(),
                         [](char c) { return c == '_' ? ' ' : static_cast<char>(std::tolower(c)); });
  return name;
}

struct LedgerWalk {
  std::vector<LedgerEntry>& ledger;

  void add(const XmlNote& note, const XmlNote& around, const std::string& element, const XmlNode& node,
           int line, const std::string& what) {
    LedgerEntry entry{element, *node.file, line, Treatment::used, note.reason, note.matters};
    if (note.outcome) {
      entry.outcome = *note.outcome;
    } else if (around.outcome.value_or(Treatment::used) != Treatment::used) {
      entry.outcome = *around.outcome;
      entry.reason = around.reason;
      entry.matters = false;  // the element around it counts once
    } else {
      entry.outcome = Treatment::ignored;
      entry.reason = fmt::format("Trammel does not know this {} here", what);
      entry.matters = true;
    }
    ledger.push_back(std::move(entry));
  }

  void walk(const XmlNode& node, const std::string& path, const XmlNote& around) {
    const std::string element = path + xml_label(node);
    add(node.note, around, element, node, node.line, "element");
    const XmlNote own{ledger.back().outcome, ledger.back().reason, false};
    for (const XmlAttribute& a : node.attributes)
      add(a.note, own, element + "@" + a.name, node, a.line, "attribute");
    for (const XmlNode& child : node.children) walk(child, element + "/", own);
  }
};

}  // namespace

XmlAttribute* XmlNode::attribute(const std::string& wanted) {
  const auto found = std::ranges::find_if(attributes, [&](const auto& a) { return a.name == wanted; });
  return found == attributes.end() ? nullptr : &*found;
}

const XmlAttribute* XmlNode::attribute(const std::string& wanted) const {
  const auto found = std::ranges::find_if(attributes, [&](const auto& a) { return a.name == wanted; });
  return found == attributes.end() ? nullptr : &*found;
}

XmlNode* XmlNode::child(const std::string& wanted) {
  const auto found = std::ranges::find_if(children, [&](const auto& c) { return c.name == wanted; });
  return found == children.end() ? nullptr : &*found;
}

std::vector<XmlNode*> XmlNode::all(const std::string& wanted) {
  std::vector<XmlNode*> found;
  for (XmlNode& c : children)
    if (c.name == wanted) found.push_back(&c);
  return found;
}

std::string xml_label(const XmlNode& node) {
  const XmlAttribute* name = node.attribute("name");
  return name == nullptr ? node.name : fmt::format("{}[{}]", node.name, name->value);
}

XmlDocument parse_xml(const std::string& text, const std::string& file) {
  XmlDocument out;
  const auto fail = [&](int line, const std::string& message, const std::string& remedy) {
    out.errors.push_back({file, line, 0, message, remedy});
  };
  if (!is_utf8(text)) {
    fail(0, "the file is not UTF-8 text", "convert it, as by iconv -t UTF-8");
    return out;
  }
  tinyxml2::XMLDocument document;
  if (document.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS) {
    fail(document.ErrorLineNum(), fmt::format("this is not well-formed XML: {}", xml_error_text(document)),
         "check that every element is closed and every value is quoted");
    return out;
  }
  const tinyxml2::XMLElement* root = document.RootElement();
  if (root == nullptr) {
    fail(1, "the file has no element", "give a URDF, MJCF or SDF file");
    return out;
  }
  TreeCopy tree{std::make_shared<const std::string>(file)};
  out.root = tree.copy(*root);
  if (tree.elements > kMaxElements)
    fail(0, fmt::format("the file has more than {} elements", kMaxElements), "divide it");
  return out;
}

void add_to_ledger(const XmlNode& node, std::vector<LedgerEntry>& ledger) {
  LedgerWalk{ledger}.walk(node, "", {});
}

}  // namespace trammel::model
