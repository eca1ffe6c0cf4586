// The yardsticks as a code of the benchmark.
#include "code.h"
#include "trammel/simulation.h"
#include "yardsticks/yardstick.h"

namespace trammel::bench {
namespace {

class YardstickRun final : public FixedSteps {
 public:
  YardstickRun(const Subject& subject, double step)
      : FixedSteps(step),
        yardstick_(make_yardstick(subject.problem.name, subject.natural)),
        state_(subject.natural),
        system_(system::compile(subject.mechanism)),
        terms_(system_->make_terms()) {}
  std::vector<Pose> poses() override {
    yardstick_->copy_to(state_);
    // Bodies in the plane have their angle from the State's memory of turns.
    system_->accept_angles(state_, terms_, 0);
    return system_->poses(state_);
  }

 protected:
  bool step(double h) override { return yardstick_->step(h); }

 private:
  std::unique_ptr<Yardstick> yardstick_;
  State state_;
  std::shared_ptr<const system::System> system_;  // its coordinates are natural ones
  system::Terms terms_;
};

class YardstickCode final : public Code {
 public:
  std::string name() const override { return "yardstick"; }
  bool is_peer() const override { return false; }
  std::vector<Rule> rules(const Problem& problem) const override {
    if (!has_yardstick(problem.name)) return {};
    return {{"index 3, trapezoidal, by hand"}};
  }
  std::vector<Rule> growth_rules(const Problem& problem) const override { return rules(problem); }
  std::unique_ptr<Run> start(const Subject& subject, const Setting& setting) const override {
    return std::make_unique<YardstickRun>(subject, setting.value);
  }
};

}  // namespace

std::unique_ptr<Code> make_yardsticks() { return std::make_unique<YardstickCode>(); }

}  // namespace trammel::bench
