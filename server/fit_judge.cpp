#include "server/fit_judge.h"

#include "analysis/acceptance.h"
#include "server/mobility_event.h"
#include "simulation/method_table.h"
#include "simulation/resolve.h"

namespace trammel::server {
namespace {

// Larger models are not judged: a person is told when choosing.
constexpr std::size_t kMostBodies = 20;

std::string reason_against(const Mechanism& mechanism, const simulation::FormulationEntry& formulation) {
  const ResolvedPlan plan = simulation::resolve(mechanism.plan, mechanism);
  const IntegratorKind integrator =
      formulation.kind == plan.formulation ? plan.integrator : simulation::usual_integrator(formulation.kind);
  try {
    return analysis::refusal(mechanism, analysis::with_method(mechanism.plan, name_of(plan.coordinates),
                                                              formulation.name(), name_of(integrator)));
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace

FitJudge::FitJudge(Answer answer, TellMobility mobility)
    : answer_(std::move(answer)), tell_mobility_(std::move(mobility)), thread_([this] { loop(); }) {}

FitJudge::~FitJudge() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void FitJudge::ask(std::shared_ptr<const Mechanism> mechanism) {
  {
    const std::lock_guard lock(mutex_);
    question_ = std::move(mechanism);
  }
  wake_.notify_all();
}

void FitJudge::loop() {
  while (!stopping_) {
    std::shared_ptr<const Mechanism> mechanism;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return stopping_ || question_ != nullptr; });
      mechanism = std::move(question_);
      question_.reset();
    }
    if (stopping_) return;
    tell_mobility_(mechanism, mobility_event(*mechanism));
    Unfit unfit = judge(*mechanism);
    if (!stopping_) answer_(std::move(unfit));
  }
}

Unfit FitJudge::judge(const Mechanism& mechanism) const {
  Unfit all;
  if (mechanism.bodies.size() > kMostBodies) return all;
  for (const simulation::FormulationEntry& formulation : simulation::formulation_table()) {
    if (stopping_) break;
    if (const std::string reason = reason_against(mechanism, formulation); !reason.empty())
      all[formulation.name()] = reason;
  }
  return all;
}

}  // namespace trammel::server
