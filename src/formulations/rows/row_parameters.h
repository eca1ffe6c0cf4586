// Numbers of a plan that may differ from constraint to constraint: penalty α, and Ω, μ of
// Φ̈ + 2Ωμ Φ̇ + Ω² Φ = 0 (García de Jalón & Bayo (1994), (5.35): diagonal matrices).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "system/dynamics.h"

namespace trammel::formulations {

// For each row the number given for its owner, else the common one.
std::vector<double> by_row(const system::Dynamics& system, double common,
                           const std::map<std::string, double>& of_owner);

// Only what owns a constraint row can have a number of its own.
bool owns_row(const system::Dynamics& system, const std::string& name);
// "name one that has: crank, guide": for a name that owns none.
std::string name_an_owner(const system::Dynamics& system);

}  // namespace trammel::formulations
