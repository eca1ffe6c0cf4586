// An XML document as a plain tree with lines, in which each element and attribute keeps what became of it.
//
// tinyxml2 knows no entities but the five of XML, so that none can be expanded without end; it refuses
// elements that nest deeper than 100.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trammel/import.h"

namespace trammel::model {

struct XmlNote {
  std::optional<Treatment> outcome;  // none: nobody has looked at it
  std::string reason;
  bool matters = false;
};

struct XmlAttribute {
  std::string name, value;
  int line = 0;
  XmlNote note;
};

struct XmlNode {
  std::string name, text;
  std::shared_ptr<const std::string> file;
  int line = 0;
  std::vector<XmlAttribute> attributes;
  std::vector<XmlNode> children;
  XmlNote note;

  // Null if it is not there.
  XmlAttribute* attribute(const std::string& name);
  const XmlAttribute* attribute(const std::string& name) const;
  XmlNode* child(const std::string& name);  // the first
  std::vector<XmlNode*> all(const std::string& name);
};

// What a person calls it: "link[arm]", the name in brackets where it has one.
std::string xml_label(const XmlNode& node);

struct XmlDocument {
  XmlNode root;
  std::vector<InputError> errors;
};
XmlDocument parse_xml(const std::string& text, const std::string& file);

// Every element and attribute below a node. What nobody has looked at shares the fate of the element around
// it; if that is used, it is ignored.
void add_to_ledger(const XmlNode& node, std::vector<LedgerEntry>& ledger);

}  // namespace trammel::model
