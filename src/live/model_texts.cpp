#include "live/model_texts.h"

#include <stdexcept>

#include "model/writer/model_writer.h"
#include "model/writer/text_merge.h"
#include "trammel/model.h"
#include "trammel/run.h"

namespace trammel::live {
namespace {

// A file can say fixed and prismatic joints only where these hold the bodies as they are placed.
Mechanism as_a_file_says(const Mechanism& model) {
  if (model::frames_are_closed(model)) return model;
  Simulation start(model, model.plan);
  const AssemblyReport assembly = start.assemble();
  if (!assembly.report.accepted()) throw std::runtime_error(explain(assembly, start));
  return placed_as(model, start);
}

}  // namespace

void ModelTexts::read(const Model& model, std::string text) {
  forget_gone();
  entries_[model.get()] = {model, nullptr, true, {std::move(text), false}};
}

void ModelTexts::made(const Model& model, const Model& from) {
  forget_gone();
  if (!entries_.contains(model.get())) entries_[model.get()] = {model, from, false, {}};
}

void ModelTexts::forget_gone() {
  std::erase_if(entries_, [](const auto& entry) { return entry.second.model.expired(); });
}

const ModelTexts::Text& ModelTexts::of(const Model& model) {
  Entry& entry = entries_.at(model.get());
  if (entry.known) return entry.text;
  const Model from = entry.from;
  const Text before = of(from);
  const model::MergedText merged =
      model::merged_text(before.text, file_, as_a_file_says(*from), as_a_file_says(*model));
  entry.text = {merged.text, merged.anew};
  entry.known = true;
  entry.from.reset();
  return entry.text;
}

}  // namespace trammel::live
