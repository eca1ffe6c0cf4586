// ModelTexts: the texts of the models of a live run, each found when it is asked for.
//
// A model that was made by an edit has the text of the model before, changed in place (text_merge.h). One
// that was read from a text has that text. So a page sees comments and order as a person wrote them, and undo
// brings back the very text.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "trammel/mechanism.h"

namespace trammel::live {

class ModelTexts {
 public:
  using Model = std::shared_ptr<const Mechanism>;

  struct Text {
    std::string text;
    bool anew = false;  // somewhere on the way it was written anew: comments and order are gone
  };

  explicit ModelTexts(std::string file) : file_(std::move(file)) {}

  void read(const Model& model, std::string text);
  void made(const Model& model, const Model& from);
  // Throws std::runtime_error for a model that no file can say.
  const Text& of(const Model& model);

 private:
  struct Entry {
    std::weak_ptr<const Mechanism> model;
    Model from;  // until the text is known
    bool known = false;
    Text text;
  };
  void forget_gone();

  std::string file_;
  std::map<const Mechanism*, Entry> entries_;
};

}  // namespace trammel::live
