#include "trammel/plan.h"

namespace trammel {

PlanSettings::PlanSettings() = default;
PlanSettings::PlanSettings(const PlanSettings&) = default;
PlanSettings::PlanSettings(PlanSettings&&) noexcept = default;
PlanSettings& PlanSettings::operator=(const PlanSettings&) = default;
PlanSettings& PlanSettings::operator=(PlanSettings&&) noexcept = default;
PlanSettings::~PlanSettings() = default;

}  // namespace trammel
