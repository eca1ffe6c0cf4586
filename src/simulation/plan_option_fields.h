// How an entry of the table of plan options finds its value in a Plan.
#pragma once

#include <limits>
#include <optional>
#include <type_traits>
#include <variant>
#include <vector>

#include "simulation/plan_options.h"

namespace trammel::simulation {

// The parts of the table, in its order.
std::vector<PlanOption> options_of_simulate();
std::vector<PlanOption> options_of_independent();
std::vector<PlanOption> options_of_modular();
std::vector<PlanOption> options_of_rules();  // parameters of stabilization and integrator
std::vector<PlanOption> options_of_projection();
std::vector<PlanOption> options_of_outputs();

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr OptionRange kPositive{0, kInfinity, true}, kFromOne{1, kInfinity}, kFromZero{0, kInfinity};

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

// An option that is a field of the Plan; an optional one may be empty.
template <class Access>
PlanOption field(PlanOption option, Access) {
  option.get = [](const Plan& plan) -> OptionValue {
    const auto& value = Access{}(plan);
    if constexpr (IsOptional<std::decay_t<decltype(value)>>::value)
      return value ? OptionValue(*value) : OptionValue();
    else
      return value;
  };
  option.set = [](Plan& plan, const OptionValue& value) {
    auto& to = Access{}(plan);
    using T = std::decay_t<decltype(to)>;
    if constexpr (IsOptional<T>::value)
      to = std::get<typename T::value_type>(value);
    else
      to = std::get<T>(value);
  };
  return option;
}

// The same, where a negative number means that it is not given; so does zero, unless it counts.
template <bool zero_counts, class Access>
PlanOption field_from(PlanOption option, Access access) {
  option = field(std::move(option), access);
  option.get = [](const Plan& plan) -> OptionValue {
    const auto value = Access{}(plan);
    return value < 0 || (value == 0 && !zero_counts) ? OptionValue() : OptionValue(value);
  };
  return option;
}

// A number for all constraints, and numbers by what owns them.
template <class All, class Of>
PlanOption by_owner(PlanOption option, All, Of) {
  option.get = [](const Plan& plan) -> OptionValue {
    const std::optional<double> common = All{}(plan);
    const auto& of = Of{}(plan);
    if (!common && of.empty()) return {};
    return ByOwner{"", common, of};
  };
  option.set = [](Plan& plan, const OptionValue& value) {
    const auto& given = std::get<ByOwner>(value);
    auto& common = All{}(plan);
    if constexpr (IsOptional<std::decay_t<decltype(common)>>::value)
      common = given.common;
    else if (given.common)
      common = *given.common;
    Of{}(plan) = given.of;
  };
  return option;
}

// An option that is not the Plan's but the mechanism's, or that has options below it.
inline PlanOption outside(PlanOption option) {
  option.get = [](const Plan&) { return OptionValue(); };
  option.set = [](Plan&, const OptionValue&) {};
  return option;
}

}  // namespace trammel::simulation
