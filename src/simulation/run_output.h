// Where the states of a run go at output times: into rows of results, or to whoever judges the motion alone.
#pragma once

#include <functional>

#include "simulation/checkpoint.h"
#include "simulation/recorder.h"

namespace trammel::simulation {

class Output {
 public:
  virtual ~Output() = default;
  // What has no finite value in that state, by its name: then nothing is written. Empty: everything has.
  [[nodiscard]] virtual std::string write(const State& state, const StepResult& last) = 0;
  // Of the state last written: whether rounding decides on its reactions, and its energies.
  virtual bool rounding() const { return false; }
  virtual Energy energy() const = 0;
  virtual void finish(RunSummary&, double) const {}
  // For checkpoints.
  virtual void save(math::ByteWriter&) {}
  virtual void load(math::ByteReader&) {}
};

class Rows final : public Output {
 public:
  Rows(const Simulation& simulation, ResultSink& sink)
      : simulation_(simulation),
        sink_(sink),
        recorder_(recorder_of(simulation)),
        missing_(recorder_.channels().size()) {
    recorder_.compute_for(sink);
  }
  std::string write(const State& state, const StepResult& last) override;
  bool rounding() const override { return recorder_.rounding(); }
  Energy energy() const override { return recorder_.energy(); }
  // Peaks within `near` seconds of a marked step do not count.
  void finish(RunSummary& summary, double near) const override;
  void save(math::ByteWriter& bytes) override { describe(bytes); }
  void load(math::ByteReader& bytes) override { describe(bytes); }

 private:
  void find_missing(std::span<const double> row);

  template <class Bytes>
  void describe(Bytes& bytes) {
    recorder_.describe(bytes);
    for (MissingValues& one : missing_) bytes(one.first), bytes(one.last), bytes(one.rows), bytes(one.reason);
    new_ones(bytes, peaks_, saved_peaks_);
  }

  const Simulation& simulation_;
  ResultSink& sink_;
  Recorder recorder_;
  std::vector<RunSummary::Peak> peaks_;  // by row
  std::size_t saved_peaks_ = 0;
  std::vector<MissingValues> missing_;  // by column; `rows` is 0 where none is missing
};

class Motion final : public Output {
 public:
  Motion(const Simulation& simulation, const std::function<void(const State&)>& seen)
      : simulation_(simulation), seen_(seen) {}
  std::string write(const State& state, const StepResult&) override;
  Energy energy() const override { return energy_; }

 private:
  const Simulation& simulation_;
  const std::function<void(const State&)>& seen_;
  Energy energy_;
};

}  // namespace trammel::simulation
