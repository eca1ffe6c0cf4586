// Mutations of trees of JSON or YAML that know the words of the format: keys of the same part, kinds,
// options, names that the text declares, numbers at the edge of what is representable, formulas.
#pragma once

#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

namespace trammel::fuzz {

using Tree = nlohmann::ordered_json;

struct Vocabulary {
  std::vector<std::vector<std::string>> key_groups;  // keys that stand together
  std::vector<std::string> words;                    // kinds, options, choices
  std::vector<Tree> parts;                           // whole entries
};

class TreeMutator {
 public:
  TreeMutator(const Vocabulary& vocabulary, unsigned seed) : vocabulary_(vocabulary), random_(seed) {}

  // One to four small changes.
  void mutate(Tree& root);
  // Puts a part of another tree somewhere.
  void cross(Tree& root, const Tree& other);
  // A whole number below n.
  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }
  // A number, formula, word, name or list.
  Tree value();
  // One that stands beside a key of the map, if there is such a group.
  std::string key_for(const Tree& map);

 private:
  void change(Tree& root);
  void change_scalar(Tree& node);
  void change_map(Tree& map);
  void change_list(Tree& list);
  Tree number();
  std::string formula(int depth);
  std::string name();
  void collect(Tree& node, std::vector<Tree*>& nodes);

  const Vocabulary& vocabulary_;
  std::minstd_rand random_;
  std::vector<std::string> names_;  // keys and words of the tree
};

}  // namespace trammel::fuzz
