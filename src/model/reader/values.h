// Reads single values of the model file: numbers, vectors, directions, words, expressions.
//
// A number is a number, a text with a unit that fits the field ("0.3 m"), or an expression of parameters and
// loop variables. Each function reports what is wrong and then returns nothing, or the fallback.
// `label` is the field's name in messages; `unit` the SI unit it expects: "" any, "1" a pure number.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/reader/context.h"

namespace trammel::model {

std::optional<double> read_number(ModelContext&, const YamlNode&, const std::string& label, const char* unit);
std::optional<int> read_integer(ModelContext&, const YamlNode&, const std::string& label);
std::optional<bool> read_bool(ModelContext&, const YamlNode&, const std::string& label);
std::optional<std::string> read_word(ModelContext&, const YamlNode&, const std::string& label);
// One of the words; an error lists them.
std::optional<std::string> read_choice(ModelContext&, const YamlNode&, const std::string& label,
                                       const std::vector<std::string>& choices);

// Two components in the plane, three in space.
std::optional<Vec3> read_vector(ModelContext&, const YamlNode&, const std::string& label, const char* unit);
// A vector that is not zero, normalized.
std::optional<Vec3> read_direction(ModelContext&, const YamlNode&, const std::string& label);
// A list of a given number of numbers, each with its own unit (units: one for all, or one for each).
std::optional<std::vector<double>> read_numbers(ModelContext&, const YamlNode&, const std::string& label,
                                                std::size_t count, const std::vector<const char*>& units);
// A list of words, of a given number unless that is 0.
std::optional<std::vector<std::string>> read_words(ModelContext&, const YamlNode&, const std::string& label,
                                                   std::size_t count = 0);

// The text of an expression, checked when the whole mechanism is known.
std::string read_expression(ModelContext&, const YamlNode&, const std::string& label, const char* unit,
                            mechanism::Scope scope = mechanism::Scope::forces);

// Loop variables in a text replaced by their values, as whole names.
std::string replace_loop_variables(const ModelContext&, const std::string& text);

// How a node reads, for messages: "'abc'", "a list", "a map", "nothing".
std::string describe(const YamlNode&);

}  // namespace trammel::model
