// The tree of an MJCF file as MuJoCo reads it: files that it includes stand in their places, and attributes
// that an element does not have come from its default class.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "model/import/foreign_reader.h"

namespace trammel::model {

// Puts the elements of included files in the place of <include>, which stays before them as an empty element.
void include_files(ForeignReader& reader, XmlNode& root, const std::filesystem::path& folder);

// An element, with the elements of its default classes, the nearest first. An attribute that is read is
// marked where it stands.
class MjcfElement {
 public:
  MjcfElement(ForeignReader& reader, XmlNode& own, std::vector<XmlNode*> inherited)
      : reader_(&reader), own_(&own), inherited_(std::move(inherited)) {}

  XmlNode& node() const { return *own_; }
  bool has(const std::string& attribute) const { return holder(attribute) != nullptr; }
  // Where it stands; null: nowhere.
  XmlNode* holder(const std::string& attribute) const;
  const std::string* text(const std::string& attribute) const;
  std::string text(const std::string& attribute, const std::string& otherwise) const;
  double number(const std::string& attribute, double otherwise) const;
  std::optional<std::vector<double>> numbers(const std::string& attribute, std::size_t least,
                                             std::size_t most) const;
  Vec3 vector(const std::string& attribute, const Vec3& otherwise) const;
  bool flag(const std::string& attribute, bool otherwise) const;
  // One of these words; anything else is refused and counts as the first.
  std::string word(const std::string& attribute, std::initializer_list<const char*> words) const;
  void refuse(const std::string& attribute, const std::string& message, const std::string& remedy) const;
  void ignore(const std::string& attribute, const std::string& why, bool matters = false) const;

 private:
  ForeignReader* reader_;
  XmlNode* own_;
  std::vector<XmlNode*> inherited_;
};

class MjcfClasses {
 public:
  void read(ForeignReader& reader, XmlNode& root);
  // The element with the defaults of the class that it names, else of `around`. Tags: what it is called in
  // a class, if not by its own name.
  MjcfElement element(ForeignReader& reader, XmlNode& node, const std::string& around,
                      std::span<const char* const> tags = {}) const;
  bool has(const std::string& name) const { return classes_.contains(name); }

 private:
  struct Class {
    std::string around;  // the class that it is part of; empty: none
    std::vector<XmlNode*> nodes;
  };
  void add(ForeignReader& reader, XmlNode& node, const std::string& around);

  std::map<std::string, Class> classes_{{"main", {}}};
};

}  // namespace trammel::model
