#include "live/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "live/snapshot.h"
#include "simulation/method_table.h"
#include "simulation/plan_check.h"

namespace trammel::live {
namespace {

constexpr std::size_t kMostCached = 4, kMostQueued = 64;
constexpr std::size_t kMostSignals = 256, kMostPlaces = 64;
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// Writes the rows of one part.
class PartReader {
 public:
  PartReader(const HistoryRequest& request, const HistoryPart& part, HistoryCache& cache, HistoryBlock& out)
      : request_(request),
        part_(part),
        out_(out),
        entry_(cache.of(part.stretch.recipe, part.stretch.moments.front()->state)) {
    for (const std::string& name : request.signals) {
      columns_.push_back(entry_.signals->find(name));
      if (columns_.back() >= 0) groups_ |= entry_.signals->group(static_cast<std::size_t>(columns_.back()));
    }
    const std::vector<Body>& bodies = entry_.simulation->mechanism().bodies;
    for (const HistoryRequest::Place& place : request.places) {
      const auto at = std::ranges::find(bodies, place.body, &Body::name);
      on_.push_back(at == bodies.end() ? -1 : at - bodies.begin());
    }
  }

  // Kept Moments are read as they are; between two that are not neighbours the steps are made again.
  void read() {
    const std::vector<MomentPtr>& moments = part_.stretch.moments;
    const bool keeps_history = simulation::history_keeper(entry_.simulation->resolved()) != nullptr;
    long known = -1;  // the step that the simulation stands at, if it can go on from there
    std::optional<simulation::Landings> landings;
    const auto stand = [&](const Moment& moment) {
      Simulation& simulation = *entry_.simulation;
      simulation.restore(moment.state);
      landings.emplace(simulation, simulation::landing_interval(simulation.plan()));
      landings->resume(moment.landing);
      known = moment.step;
    };
    for (long step = part_.begin; step <= part_.end; step += request_.every) {
      const auto after = std::upper_bound(moments.begin(), moments.end(), step,
                                          [](long s, const MomentPtr& m) { return s < m->step; });
      const Moment& before = **std::prev(after);
      if (before.step == step) {
        stand(before);
        if (keeps_history) known = -1;
        row(before.violation, before.iterations);
        continue;
      }
      // A method with a history of its own must make it again, from the start of the stretch.
      if (keeps_history && known < 0) {
        entry_.simulation = part_.stretch.recipe->simulation();
        stand(*moments.front());
      } else if (known < before.step && !keeps_history) {
        stand(before);
      }
      Violation violation = before.violation;
      int iterations = before.iterations;
      step_again(*entry_.simulation, *landings, part_.stretch, known, step,
                 [&](long, const StepResult& result) {
                   violation = result.violation;
                   iterations = result.iterations;
                 });
      known = step;
      row(violation, iterations);
    }
  }

 private:
  void row(const Violation& violation, int iterations) {
    const Simulation& simulation = *entry_.simulation;
    const std::vector<Pose> poses = simulation.system().poses(simulation.state());
    out_.t.push_back(simulation.state().t);
    if (!request_.signals.empty()) {
      StepResult last;
      last.violation = violation;
      last.iterations = iterations;
      const std::vector<double> all = entry_.signals->values(simulation, poses, last, kUnknown, groups_);
      for (const int k : columns_) out_.values.push_back(k < 0 ? kUnknown : all[static_cast<std::size_t>(k)]);
    }
    for (std::size_t k = 0; k < on_.size(); ++k) place(poses, k);
    if (request_.poses) {
      append_poses(simulation.mechanism(), poses, out_.poses);
      out_.bodies = poses.size();
    }
  }

  void place(const std::vector<Pose>& poses, std::size_t k) {
    if (on_[k] < 0) {
      out_.values.insert(out_.values.end(), 3, kUnknown);
      return;
    }
    const auto b = static_cast<std::size_t>(on_[k]);
    const Vec3 at = poses[b].position +
                    poses[b].axes * (request_.places[k].at - entry_.simulation->mechanism().bodies[b].com);
    out_.values.insert(out_.values.end(), at.data(), at.data() + 3);
  }

  const HistoryRequest& request_;
  const HistoryPart& part_;
  HistoryBlock& out_;
  HistoryCache::Entry& entry_;
  std::vector<int> columns_;
  std::vector<long> on_;  // bodies of the places; −1: not there
  unsigned groups_ = 0;
};

}  // namespace

HistoryRequest history_request(const Json& command) {
  const JsonFields fields(
      command, "history",
      {"id", "do", "signals", "places", "poses", "from", "to", "from_t", "to_t", "every", "branch"});
  HistoryRequest out;
  if (fields.has("signals")) out.signals = fields.texts("signals");
  if (fields.has("places") && !fields.need("places").is_array()) fields.refuse("places", "a list");
  if (fields.has("places"))
    for (const Json& one : fields.need("places")) {
      const JsonFields place(one, "places", {"body", "at"});
      out.places.push_back({place.text("body"), place.vector("at", Vec3::Zero())});
    }
  if (out.signals.size() > kMostSignals || out.places.size() > kMostPlaces)
    throw std::invalid_argument(
        fmt::format("history: at most {} signals and {} places", kMostSignals, kMostPlaces));
  out.poses = fields.flag("poses", false);
  const auto whole = [&](const char* key, long otherwise) {
    const double x = fields.number(key, static_cast<double>(otherwise));
    if (x != std::floor(x) || std::abs(x) > 1e15) fields.refuse(key, "a whole number");
    return static_cast<long>(x);
  };
  out.from = whole("from", 0);
  out.to = whole("to", 1'000'000'000'000'000);
  out.from_t = fields.maybe_number("from_t");
  out.to_t = fields.maybe_number("to_t");
  out.every = whole("every", 1);
  out.branch = static_cast<int>(std::min(whole("branch", 0), 1'000'000'000L));
  if (out.every < 1) fields.refuse("every", "a positive number of steps");
  return out;
}

HistoryJob history_job(const Past& past, HistoryRequest request) {
  const Branch* branch = request.branch == 0 ? &past.branch() : past.find(request.branch);
  if (branch == nullptr)
    throw std::invalid_argument(fmt::format("history: there is no branch {}", request.branch));
  HistoryJob job{std::move(request), branch->id, branch->end(), {}};
  HistoryRequest& r = job.request;
  if (r.from_t) r.from = step_at(*branch, *r.from_t);
  if (r.to_t) r.to = step_at(*branch, *r.to_t);
  r.from = std::max(r.from, branch->begin());
  r.to = std::min({r.to, branch->end(), r.from + (kMostRows - 1) * r.every});
  long next = r.from;
  for (std::size_t k = 0; k < branch->parts.size() && next <= r.to; ++k) {
    const BranchPart& part = branch->parts[k];
    // A step at which an edit was made belongs to what follows it.
    const long end = std::min(r.to, k + 1 < branch->parts.size() ? branch->parts[k + 1].begin - 1 : part.end);
    if (end < next) continue;
    HistoryPart piece{
        {part.stretch->recipe, {}, changes_between(*part.stretch, part.begin - 1, end)}, next, end};
    const std::vector<MomentPtr>& moments = part.stretch->moments;
    const auto before = [](long step, const MomentPtr& m) { return step < m->step; };
    const auto first = std::upper_bound(moments.begin(), moments.end(), next, before);
    const auto last = std::upper_bound(moments.begin(), moments.end(), end, before);
    // The start of the stretch goes with it, for methods that keep a history.
    piece.stretch.moments.push_back(moments.front());
    for (auto at = std::prev(first); at != last; ++at)
      if (at != moments.begin()) piece.stretch.moments.push_back(*at);
    job.parts.push_back(std::move(piece));
    next += (end - next) / r.every * r.every + r.every;
  }
  return job;
}

HistoryCache::Entry& HistoryCache::of(const std::shared_ptr<const Recipe>& recipe, const State& state) {
  const auto at = std::ranges::find(entries_, recipe, &Entry::recipe);
  if (at != entries_.end()) return *at;
  Entry made{recipe, recipe->simulation(), nullptr};
  made.simulation->restore(state);
  made.signals = std::make_unique<LiveSignals>(*made.simulation);
  if (entries_.size() >= kMostCached) entries_.pop_front();
  entries_.push_back(std::move(made));
  return entries_.back();
}

HistoryBlock read_history(const HistoryJob& job, HistoryCache& cache) {
  const HistoryRequest& request = job.request;
  HistoryBlock out;
  out.branch = job.branch;
  out.first = request.from;
  out.every = request.every;
  out.last = job.last;
  out.columns = request.signals.size() + 3 * request.places.size();
  for (const HistoryPart& part : job.parts) {
    PartReader(request, part, cache, out).read();
    // Poses of other bodies do not go into one block: the next ones are asked for again.
    const bool other = request.poses && &part != &job.parts.back() &&
                       (&part + 1)->stretch.recipe->model->bodies.size() != out.bodies;
    if (other) break;
  }
  return out;
}

HistoryReader::HistoryReader() : thread_([this] { loop(); }) {}

HistoryReader::~HistoryReader() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

bool HistoryReader::read(HistoryJob job, Done done) {
  {
    const std::lock_guard lock(mutex_);
    if (queue_.size() >= kMostQueued) return false;
    queue_.emplace_back(std::move(job), std::move(done));
  }
  wake_.notify_one();
  return true;
}

void HistoryReader::loop() {
  for (;;) {
    std::pair<HistoryJob, Done> next;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
      if (stopping_) return;
      next = std::move(queue_.front());
      queue_.pop_front();
    }
    try {
      next.second(read_history(next.first, cache_), {});
    } catch (const std::exception& error) {
      next.second({}, error.what());
    }
  }
}

}  // namespace trammel::live
