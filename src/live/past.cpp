#include "live/past.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "trammel/thread_pool.h"

namespace trammel::live {
namespace {

// A live run has no second run beside it: only subsystems are computed side by side.
std::shared_ptr<Executor> executor_for(Plan plan) {
  plan.verify = false;
  return make_executor(plan);
}

constexpr std::size_t kMostGhosts = 4;
// Of a stretch beside its Moments: its recipe with a mechanism of a few bodies.
constexpr std::size_t kStretchBytes = 8 << 10;
constexpr std::size_t kBytesPerBody = 2 << 10;
// Thinning goes on until so much of the memory is free: it is not needed again at once.
constexpr double kFull = 0.9;

std::size_t size_of(const Moment& moment) {
  const State& s = moment.state;
  std::size_t numbers = 0;
  for (const auto* part : {&s.q, &s.v, &s.a, &s.lambda, &s.x, &s.inputs}) numbers += part->size();
  for (const Memory& memory : s.memory) numbers += memory.values.size() + sizeof(Memory) / sizeof(double);
  return sizeof(Moment) + 64 + numbers * sizeof(double);  // 64: of the allocator and the pointers to it
}

std::size_t size_of(const Stretch& stretch) {
  std::size_t bytes = kStretchBytes + kBytesPerBody * stretch.recipe->model->bodies.size();
  for (const MomentPtr& moment : stretch.moments) bytes += size_of(*moment);
  for (const InputChange& change : stretch.inputs)
    bytes += sizeof change + change.values.size() * sizeof(double);
  return bytes;
}

long last_step(const Stretch& stretch) { return stretch.moments.back()->step; }

// Every second one goes, but the first and the last.
void halve(std::vector<MomentPtr>& moments) {
  std::vector<MomentPtr> kept;
  for (std::size_t k = 0; k < moments.size(); ++k)
    if (k % 2 == 0 || k + 1 == moments.size()) kept.push_back(std::move(moments[k]));
  moments = std::move(kept);
}

}  // namespace

std::unique_ptr<Simulation> Recipe::simulation() const {
  return std::make_unique<Simulation>(with_phases(with_pulls(*model, pulls), phases), model->plan,
                                      executor_for(model->plan));
}

std::vector<Pull> pulls_in(const Recipe& recipe, const State& state) {
  std::vector<Pull> pulls = recipe.pulls;
  for (std::size_t k = 0; k < pulls.size(); ++k)
    for (std::size_t i = 0; i < (recipe.model->is_planar ? 2U : 3U); ++i)
      pulls[k].target[static_cast<Eigen::Index>(i)] = state.inputs[first_input(*recipe.model, k) + i];
  return pulls;
}

void Past::start(std::shared_ptr<const Recipe> recipe, Moment first, std::string label) {
  if (!current_.parts.empty() && current_.end() > current_.begin()) ghosts_.push_back(current_);
  current_ = Branch{++ids_, first.state.t, {}, first.state.t};
  append(std::move(recipe), std::move(first), std::move(label));
}

void Past::cut(double t, long step) {
  if (step >= current_.end()) return;
  ghosts_.push_back(current_);
  current_.id = ++ids_;
  current_.from_t = t;
  std::erase_if(current_.parts, [&](const BranchPart& part) { return part.begin > step; });
  current_.parts.back().end = step;
}

void Past::go_on(std::shared_ptr<const Recipe> recipe, Moment now, std::string label) {
  cut(now.state.t, now.step);
  append(std::move(recipe), std::move(now), std::move(label));
}

void Past::append(std::shared_ptr<const Recipe> recipe, Moment now, std::string label) {
  BranchPart part{std::make_shared<Stretch>(), now.step, now.step, now.state.t, std::move(label)};
  current_.end_t = now.state.t;
  part.stretch->recipe = std::move(recipe);
  part.stretch->moments.push_back(std::make_shared<const Moment>(std::move(now)));
  bytes_ += size_of(*part.stretch);
  current_.parts.push_back(std::move(part));
  keep_within();
}

void Past::change_inputs(std::shared_ptr<const Recipe> recipe, Moment now, std::string label) {
  const BranchPart& last = current_.parts.back();
  // What other branches share, or what lies behind, is left alone.
  if (now.step < current_.end() || last.end != last_step(*last.stretch))
    return go_on(std::move(recipe), std::move(now), std::move(label));
  Stretch& stretch = *last.stretch;
  stretch.inputs.push_back({now.step, now.state.inputs});
  bytes_ += sizeof(InputChange) + now.state.inputs.size() * sizeof(double);
  stretch.moments.back() = std::make_shared<const Moment>(std::move(now));
}

void Past::add(Moment moment) {
  if (knows(moment.step)) return;
  BranchPart& last = current_.parts.back();
  if (last.end != last_step(*last.stretch)) {
    // The stretch goes on differently in another branch.
    auto own = std::make_shared<Stretch>(Stretch{last.stretch->recipe, {}, {}});
    std::copy_if(last.stretch->moments.begin(), last.stretch->moments.end(), std::back_inserter(own->moments),
                 [&](const MomentPtr& m) { return m->step <= last.end; });
    own->inputs = changes_between(*last.stretch, last.begin, last.end);
    last.stretch = std::move(own);
    bytes_ = measured();
  }
  current_.end_t = moment.state.t;
  last.end = moment.step;
  bytes_ += size_of(moment);
  last.stretch->moments.push_back(std::make_shared<const Moment>(std::move(moment)));
  keep_within();
}

bool Past::switch_to(int id) {
  const auto at = std::ranges::find(ghosts_, id, &Branch::id);
  if (at == ghosts_.end()) return false;
  std::swap(*at, current_);
  return true;
}

const Branch* Past::find(int id) const {
  if (id == current_.id) return &current_;
  const auto at = std::ranges::find(ghosts_, id, &Branch::id);
  return at == ghosts_.end() ? nullptr : &*at;
}

std::size_t Past::measured() const {
  std::set<const Stretch*> seen;
  std::size_t bytes = 0;
  const auto count = [&](const Branch& branch) {
    for (const BranchPart& part : branch.parts)
      if (seen.insert(part.stretch.get()).second) bytes += size_of(*part.stretch);
  };
  for (const Branch& ghost : ghosts_) count(ghost);
  count(current_);
  return bytes;
}

// Ghosts first, then what is oldest, so that what was seen last is kept best.
void Past::keep_within() {
  if (ghosts_.size() > kMostGhosts) {
    ghosts_.erase(ghosts_.begin());
    bytes_ = measured();
  }
  if (bytes_ <= most_) return;
  const auto target = static_cast<std::size_t>(kFull * static_cast<double>(most_));
  while (bytes_ > target) {
    const std::size_t before = bytes_;
    thin_older_half();
    bytes_ = measured();
    if (bytes_ < before) continue;
    // Each stretch has its first Moment alone: the oldest go altogether.
    if (!ghosts_.empty())
      ghosts_.erase(ghosts_.begin());
    else if (current_.parts.size() > 1)
      current_.parts.erase(current_.parts.begin());
    else
      return;
    bytes_ = measured();
  }
}

void Past::thin_older_half() {
  std::vector<Stretch*> all;
  std::size_t count = 0;
  const auto add = [&](const Branch& branch) {
    for (const BranchPart& part : branch.parts) {
      if (std::ranges::find(all, part.stretch.get()) != all.end()) continue;
      all.push_back(part.stretch.get());
      count += part.stretch->moments.size();
    }
  };
  for (const Branch& ghost : ghosts_) add(ghost);
  add(current_);
  std::size_t seen = 0;
  for (Stretch* stretch : all) {
    std::vector<MomentPtr>& moments = stretch->moments;
    const std::size_t older = std::min(moments.size(), count / 2 > seen ? count / 2 - seen : 0);
    seen += moments.size();
    if (older < 3) continue;
    std::vector<MomentPtr> thinned(moments.begin(), moments.begin() + static_cast<long>(older));
    halve(thinned);
    thinned.insert(thinned.end(), moments.begin() + static_cast<long>(older), moments.end());
    moments = std::move(thinned);
  }
}

Place place_of(const Branch& branch, long step) {
  if (branch.parts.empty() || step < branch.begin() || step > branch.end()) return {};
  const auto part =
      std::prev(std::upper_bound(branch.parts.begin(), branch.parts.end(), step,
                                 [](long wanted, const BranchPart& one) { return wanted < one.begin; }));
  const std::vector<MomentPtr>& moments = part->stretch->moments;
  const auto after = std::upper_bound(moments.begin(), moments.end(), step,
                                      [](long wanted, const MomentPtr& m) { return wanted < m->step; });
  return {&*part, *std::prev(after)};
}

long step_at(const Branch& branch, double t) {
  if (t <= branch.begin_t()) return branch.begin();
  if (t >= branch.end_t) return branch.end();
  const auto part =
      std::prev(std::upper_bound(branch.parts.begin(), branch.parts.end(), t,
                                 [](double wanted, const BranchPart& one) { return wanted < one.begin_t; }));
  const std::vector<MomentPtr>& moments = part->stretch->moments;
  const auto after = std::upper_bound(moments.begin(), moments.end(), t,
                                      [](double wanted, const MomentPtr& m) { return wanted < m->state.t; });
  const Moment& before = after == moments.begin() ? *moments.front() : **std::prev(after);
  if (after == moments.end()) return std::min(before.step, part->end);
  // Steps of one stretch are of one size.
  const double share = (t - before.state.t) / ((*after)->state.t - before.state.t);
  return std::min(before.step + std::lround(share * static_cast<double>((*after)->step - before.step)),
                  part->end);
}

std::vector<InputChange> changes_between(const Stretch& stretch, long from, long to) {
  std::vector<InputChange> all;
  for (const InputChange& change : stretch.inputs)
    if (change.step > from && change.step <= to) all.push_back(change);
  return all;
}

}  // namespace trammel::live
