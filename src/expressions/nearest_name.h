// The known name that an unknown one was probably meant to be, for error messages.
//
// Damerau-Levenshtein distance (optimal string alignment): insert, delete, replace a character or swap two
// neighbours, one edit each; case only decides between equals. One edit per three characters is close enough.
#pragma once

#include <string>
#include <vector>

namespace trammel::expressions {

// Empty if nothing is close.
std::string nearest_name(const std::string& unknown, const std::vector<std::string>& known);

// For one of few choices: "did you mean 'x'? There are: …", or "choose one of: …" if nothing is close.
std::string choice_advice(const std::string& unknown, const std::vector<std::string>& known);

// For one of any number of names, as columns "crank.angle": the nearest and those of the same part; of few
// names all.
std::string name_advice(const std::string& unknown, const std::vector<std::string>& known);

}  // namespace trammel::expressions
