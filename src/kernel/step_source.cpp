#include "kernel/step_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "formulations/rows/rows.h"
#include "kernel/emit.h"

namespace trammel::kernel {
namespace {

using Results = std::vector<std::pair<std::string, Recorded>>;

std::string entry_of(const char* array, std::size_t k) { return fmt::format("{}[{}]", array, k); }

// L D Lᵀ of a symmetric matrix of formulas, in the order that fills least.
class Factor {
 public:
  Factor(const std::map<std::pair<int, int>, Recorded>& lower, int n) : n_(n) {
    choose_order(lower);
    std::map<std::pair<int, int>, Recorded> left;
    for (const auto& [place, value] : lower) {
      const int i = rank_[static_cast<std::size_t>(place.first)],
                j = rank_[static_cast<std::size_t>(place.second)];
      left[{std::max(i, j), std::min(i, j)}] = value;
    }
    for (int j = 0; j < n; ++j) {
      inverse_.push_back(1 / left[{j, j}]);
      std::vector<std::pair<int, Recorded>> column;
      for (int i = j + 1; i < n; ++i)
        if (const auto at = left.find({i, j}); at != left.end()) column.emplace_back(i, at->second);
      for (std::size_t a = 0; a < column.size(); ++a) {
        const Recorded l = column[a].second * inverse_.back();
        for (std::size_t b = a; b < column.size(); ++b)
          left[{column[b].first, column[a].first}] -= l * column[b].second;
        L_.push_back({column[a].first, j, l});
      }
    }
  }

  // The factor's numbers as a function gives them away, and as another reads them.
  Results results() const {
    Results list;
    for (const Entry& entry : L_) list.emplace_back(entry_of("L", list.size()), entry.value);
    for (const Recorded& one : inverse_) list.emplace_back(entry_of("L", list.size()), one);
    return list;
  }
  void read_from(Graph& graph) {
    int k = 0;
    for (Entry& entry : L_) entry.value = graph.input("L", k++);
    for (Recorded& one : inverse_) one = graph.input("L", k++);
  }
  std::size_t size() const { return L_.size() + inverse_.size(); }

  std::vector<Recorded> solve(const std::vector<Recorded>& right) const {
    std::vector<Recorded> z(right.size());
    for (std::size_t k = 0; k < right.size(); ++k) z[static_cast<std::size_t>(rank_[k])] = right[k];
    for (const Entry& entry : L_) at(z, entry.row) -= entry.value * at(z, entry.column);
    for (std::size_t k = 0; k < z.size(); ++k) z[k] *= inverse_[k];
    for (std::size_t k = L_.size(); k-- > 0;) at(z, L_[k].column) -= L_[k].value * at(z, L_[k].row);
    std::vector<Recorded> x(right.size());
    for (std::size_t k = 0; k < right.size(); ++k) x[k] = z[static_cast<std::size_t>(rank_[k])];
    return x;
  }

 private:
  static Recorded& at(std::vector<Recorded>& x, int k) { return x[static_cast<std::size_t>(k)]; }

  // The coordinate with the fewest neighbours is eliminated next; its neighbours become neighbours of each
  // other.
  void choose_order(const std::map<std::pair<int, int>, Recorded>& lower) {
    std::vector<std::set<int>> neighbours(static_cast<std::size_t>(n_));
    for (const auto& [place, value] : lower)
      if (place.first != place.second) {
        neighbours[static_cast<std::size_t>(place.first)].insert(place.second);
        neighbours[static_cast<std::size_t>(place.second)].insert(place.first);
      }
    rank_.assign(static_cast<std::size_t>(n_), -1);
    for (int k = 0; k < n_; ++k) {
      int best = -1;
      for (int i = 0; i < n_; ++i)
        if (rank_[static_cast<std::size_t>(i)] < 0 &&
            (best < 0 || neighbours[static_cast<std::size_t>(i)].size() <
                             neighbours[static_cast<std::size_t>(best)].size()))
          best = i;
      rank_[static_cast<std::size_t>(best)] = k;
      const std::set<int> around = neighbours[static_cast<std::size_t>(best)];
      for (const int i : around) {
        neighbours[static_cast<std::size_t>(i)].insert(around.begin(), around.end());
        neighbours[static_cast<std::size_t>(i)].erase(i);
        neighbours[static_cast<std::size_t>(i)].erase(best);
      }
    }
  }

  int n_;
  std::vector<int> rank_;  // of each coordinate in the order of elimination
  std::vector<Entry> L_;   // column by column
  std::vector<Recorded> inverse_;
};

class Writer {
 public:
  Writer(Graph& graph, const KernelEquations& equations, const StepNumbers& numbers)
      : graph_(graph),
        e_(equations),
        m_(numbers),
        n_(static_cast<int>(equations.Q.size())),
        rows_(static_cast<int>(equations.Phi.size())) {}

  StepFunctions run() {
    positions();
    penalties();
    newton();
    biases();
    projection();
    out_.operations = operations_;
    return out_;
  }

 private:
  void function(const std::string& comment, const std::string& name, const std::string& arguments,
                const Results& results) {
    const std::string body = emit(graph_, results);
    operations_ +=
        static_cast<int>(std::count(body.begin(), body.end(), '\n') - static_cast<long>(results.size()));
    out_.text +=
        fmt::format("// {}\ntemplate <class real>\nTRAMMEL_FN void {}(const real* c, {}) {{\n{}}}\n\n",
                    comment, name, arguments, body);
  }

  std::vector<Recorded> array(const char* name, int size) {
    std::vector<Recorded> list;
    for (int k = 0; k < size; ++k) list.push_back(graph_.input(name, k));
    return list;
  }

  void positions() {
    Results results;
    std::map<int, Recorded> given;  // by node
    for (std::size_t r = 0; r < e_.Phi.size(); ++r) results.emplace_back(entry_of("Phi", r), e_.Phi[r]);
    for (const Entry& entry : e_.Phi_v) {
      if (entry.value.is_number()) {
        J_.push_back(entry);
        continue;
      }
      // What stands elsewhere already, or its negative, is given once.
      const GraphNode& node = graph_.nodes()[static_cast<std::size_t>(entry.value.node())];
      const auto same = given.find(entry.value.node());
      const auto opposite = node.op == Op::negate ? given.find(node.a) : given.end();
      if (same == given.end() && opposite == given.end()) {
        results.emplace_back(entry_of("J", static_cast<std::size_t>(out_.jacobian)), entry.value);
        given.emplace(entry.value.node(), graph_.input("J", out_.jacobian++));
        if (node.op == Op::negate) given.emplace(node.a, -given.at(entry.value.node()));
      }
      J_.push_back({entry.row, entry.column,
                    opposite != given.end() ? -opposite->second : given.at(entry.value.node())});
    }
    function("The constraints and what varies of their Jacobian.", "positions",
             "const real* q, const real* angle, const real* t, real* Phi, real* J", results);
    Results angles;
    for (std::size_t k = 0; k < e_.angles.size(); ++k) angles.emplace_back(entry_of("to", k), e_.angles[k]);
    function("Angles with their turns.", "angles", "const real* q, const real* angle, real* to", angles);
  }

  // s of each row: the iteration contracts by 1/(1 + s).
  void penalties() {
    graph_.label("");
    std::vector<Recorded> compliance(static_cast<std::size_t>(rows_), 0);
    for (const Entry& entry : J_)
      compliance[static_cast<std::size_t>(entry.row)] +=
          entry.value * entry.value * m_.mobility[static_cast<std::size_t>(entry.column)];
    Results results;
    constexpr double kVanished = (formulations::kVanishedRow / formulations::kShortestRow) *
                                 (formulations::kVanishedRow / formulations::kShortestRow);
    for (std::size_t r = 0; r < compliance.size(); ++r) {
      const Recorded larger = select(less(m_.least[r], compliance[r]), compliance[r], m_.least[r]);
      results.emplace_back(entry_of("s", r), select(less(kVanished * m_.least[r], compliance[r]),
                                                    formulations::kPenaltyRatio / larger, 0));
    }
    function("The penalty of each row.", "penalties", "const real* J, real* s", results);
  }

  // Φ_vᵀ x
  std::vector<Recorded> pressed(const std::vector<Recorded>& x) {
    std::vector<Recorded> y(static_cast<std::size_t>(n_), 0);
    for (const Entry& entry : J_)
      y[static_cast<std::size_t>(entry.column)] += entry.value * x[static_cast<std::size_t>(entry.row)];
    return y;
  }

  std::map<std::pair<int, int>, Recorded> tangent(const std::vector<Recorded>& s, const Recorded& h) {
    std::map<std::pair<int, int>, Recorded> T;
    for (const Entry& entry : m_.mass) T[{entry.row, entry.column}] += entry.value;
    const auto add = [&](const std::vector<Entry>& matrix, const Recorded& factor) {
      // K and C are symmetric but for terms that Newton's method can do without.
      for (const Entry& entry : matrix) {
        const double share = entry.row == entry.column ? 1 : 0.5;
        T[{std::max(entry.row, entry.column), std::min(entry.row, entry.column)}] +=
            share * factor * entry.value;
      }
    };
    add(e_.C, 0.5 * h);
    add(e_.K, 0.25 * h * h);
    std::map<int, std::vector<Entry>> by_row;
    for (const Entry& entry : J_) by_row[entry.row].push_back(entry);
    for (const auto& [r, row] : by_row)
      for (std::size_t a = 0; a < row.size(); ++a) {
        const Recorded weighted = s[static_cast<std::size_t>(r)] * row[a].value;
        for (std::size_t b = 0; b <= a; ++b)
          T[{std::max(row[a].column, row[b].column), std::min(row[a].column, row[b].column)}] +=
              weighted * row[b].value;
      }
    std::erase_if(
        T, [](const auto& entry) { return entry.second.is(0) && entry.first.first != entry.first.second; });
    return T;
  }

  void newton() {
    graph_.label("T");
    const Recorded h = graph_.input("h", 0);
    const std::vector<Recorded> s = array("s", rows_), Phi = array("Phi", rows_),
                                lambda = array("lambda", rows_), a = array("a", n_);
    const std::map<std::pair<int, int>, Recorded> T = tangent(s, h);
    graph_.label("L D Lᵀ = T");
    factor_ = std::make_unique<Factor>(T, n_);
    graph_.label("Q − M v̇ − Φ_vᵀ(λ + αΦ)");
    std::vector<Recorded> left = e_.Q;
    for (const Entry& entry : m_.mass) {
      left[static_cast<std::size_t>(entry.row)] -= entry.value * a[static_cast<std::size_t>(entry.column)];
      if (entry.row != entry.column)
        left[static_cast<std::size_t>(entry.column)] -= entry.value * a[static_cast<std::size_t>(entry.row)];
    }
    const Recorded da = 4 / (h * h);
    std::vector<Recorded> press;
    for (std::size_t r = 0; r < s.size(); ++r) press.push_back(lambda[r] + da * s[r] * Phi[r]);
    const std::vector<Recorded> constrained = pressed(press);
    for (std::size_t k = 0; k < left.size(); ++k) left[k] -= constrained[k];
    graph_.label("δ");
    const std::vector<Recorded> solved = factor_->solve(left);
    Results results = factor_->results();
    out_.factor = static_cast<int>(results.size());
    for (std::size_t k = 0; k < solved.size(); ++k)
      results.emplace_back(entry_of("delta", k), solved[k] * (0.25 * h * h));
    function("One iteration: the factor of T, and the increment of the positions.", "newton",
             "const real* q, const real* v, const real* a, const real* lambda, const real* angle, const "
             "real* t, const real* h, const real* s, "
             "const real* Phi, const real* J, real* L, real* delta",
             results);
  }

  void biases() {
    Results velocities, accelerations;
    for (std::size_t r = 0; r < e_.Phi.size(); ++r) {
      velocities.emplace_back(entry_of("bias", r), e_.Phi_t[r]);
      accelerations.emplace_back(entry_of("bias", r), e_.gamma[r]);
    }
    function("Φ_t", "bias_of_velocities", "const real* q, const real* angle, const real* t, real* bias",
             velocities);
    function("γ", "bias_of_accelerations",
             "const real* q, const real* v, const real* angle, const real* t, real* bias", accelerations);
  }

  void projection() {
    graph_.label("");
    const std::vector<Recorded> x = array("x", n_), bias = array("bias", rows_), s = array("s", rows_),
                                rate = array("rate", rows_);
    std::vector<Recorded> rates = bias;
    for (const Entry& entry : J_)
      rates[static_cast<std::size_t>(entry.row)] += entry.value * x[static_cast<std::size_t>(entry.column)];
    Results results;
    for (std::size_t r = 0; r < rates.size(); ++r) results.emplace_back(entry_of("rate", r), rates[r]);
    function("Φ_v x + bias", "rates", "const real* J, const real* x, const real* bias, real* rate", results);
    std::vector<Recorded> weighted;
    for (std::size_t r = 0; r < s.size(); ++r) weighted.push_back(s[r] * rate[r]);
    factor_->read_from(graph_);
    const std::vector<Recorded> change = factor_->solve(pressed(weighted));
    results.clear();
    for (std::size_t k = 0; k < change.size(); ++k) results.emplace_back(entry_of("change", k), change[k]);
    function("T⁻¹ Φ_vᵀ s rate", "correction",
             "const real* J, const real* L, const real* s, const real* rate, real* change", results);
  }

  Graph& graph_;
  const KernelEquations& e_;
  const StepNumbers& m_;
  int n_, rows_;
  std::vector<Entry> J_;
  std::unique_ptr<Factor> factor_;
  StepFunctions out_;
  int operations_ = 0;
};

}  // namespace

StepFunctions write_functions(Graph& graph, const KernelEquations& equations, const StepNumbers& numbers) {
  return Writer(graph, equations, numbers).run();
}

}  // namespace trammel::kernel
