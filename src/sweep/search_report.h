// What a fit or an optimization found, for a person: a few lines, and a page that needs neither network nor
// script.
#pragma once

#include <string>

#include "trammel/fit.h"

namespace trammel::sweep {

std::string fit_text(const FitResult& found);
std::string fit_page(const std::string& model, const FitResult& found);
std::string optimum_text(const OptimizeSpec& spec, const OptimizeResult& found);
std::string optimum_page(const std::string& model, const OptimizeSpec& spec, const OptimizeResult& found);

}  // namespace trammel::sweep
