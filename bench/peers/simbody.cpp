// Simbody as a code of the benchmark.
#include "peers/simbody_model.h"
#include "peers/skeleton.h"

namespace trammel::bench {
namespace {

class SimbodyRun final : public Run {
 public:
  SimbodyRun(const Subject& subject, const Setting& setting)
      : skeleton_(subject),
        model_(make_simbody_model(skeleton_.links(), setting.rule.name, setting.rule.by_tolerance,
                                  setting.value)) {}
  bool advance(double t) override { return model_->advance(t); }
  std::vector<Pose> poses() override { return skeleton_.poses(model_->states()); }
  long steps() const override { return model_->steps(); }

 private:
  Skeleton skeleton_;
  std::unique_ptr<SimbodyModel> model_;
};

class SimbodyCode final : public Code {
 public:
  std::string name() const override { return "Simbody"; }
  bool is_peer() const override { return true; }
  std::vector<Rule> rules(const Problem&) const override {
    return {{"RungeKuttaMerson", true}, {"RungeKutta3", true}, {"CPodes BDF", true}, {"Verlet", true}};
  }
  std::vector<Rule> growth_rules(const Problem& problem) const override {
    if (!problem.name.starts_with("chain")) return {};
    return {{"SemiExplicitEuler"}};
  }
  std::unique_ptr<Run> start(const Subject& subject, const Setting& setting) const override {
    return std::make_unique<SimbodyRun>(subject, setting);
  }
};

}  // namespace

std::unique_ptr<Code> make_simbody() { return std::make_unique<SimbodyCode>(); }

}  // namespace trammel::bench
