#include "linalg/supernodes.h"

#include <algorithm>

#include "linalg/ordering.h"
#include "linalg/panel.h"
#include "math/index.h"

namespace trammel::linalg {
namespace {

using math::at;

// Columns j and j + 1 belong together when j's rows below the diagonal are all the rows of j + 1.
bool same_supernode(const std::vector<int>& column, const std::vector<int>& next) {
  return column.size() == next.size() + 1 && column[1] == next[0];
}

// Places each panel; returns the supernode of each unknown.
std::vector<int> find_supernodes(const std::vector<std::vector<int>>& columns, Supernodes& s) {
  const int n = static_cast<int>(columns.size());
  std::vector<int> owner(columns.size());
  for (int j = 0; j < n;) {
    int end = j + 1;
    while (end < n && end < j + kWidest && same_supernode(columns[at(end - 1)], columns[at(end)])) ++end;
    const auto& rows = columns[at(j)];
    const int width = end - j, height = static_cast<int>(rows.size());
    std::fill(owner.begin() + j, owner.begin() + end, static_cast<int>(s.nodes.size()));
    s.nodes.push_back({j, width, height, s.values, static_cast<int>(s.row.size())});
    s.row.insert(s.row.end(), rows.begin(), rows.end());
    s.values += width * height;
    s.tallest = std::max(s.tallest, height);
    j = end;
  }
  return owner;
}

void find_runs(Supernodes& s, Supernode& node) {
  node.runs = static_cast<int>(s.run.size());
  for (int k = node.width; k < node.rows; ++k) {
    const int unknown = s.row[at(node.list + k)];
    if (k > node.width && s.row[at(node.list + k - 1)] == unknown - 1)
      ++s.run.back().count;
    else
      s.run.push_back({k, unknown, 1});
  }
  node.runs_end = static_cast<int>(s.run.size());
}

bool is_chain_link(const Supernodes& s, const Supernode& node) {
  if (node.rows != 2 * node.width || node.runs_end - node.runs != 1) return false;
  return std::all_of(s.target.begin() + node.list + node.width, s.target.begin() + node.list + node.rows,
                     [](const Target& target) { return target.relative < 0; });
}

void find_stretches(Supernodes& s) {
  for (int k = 0; k < static_cast<int>(s.nodes.size()); ++k) {
    const Supernode& node = s.nodes[at(k)];
    const bool chain = is_chain_link(s, node);
    if (s.stretches.empty() || s.stretches.back().width != node.width || s.stretches.back().chain != chain)
      s.stretches.push_back({node.width, chain, k, k});
    s.stretches.back().end = k + 1;
  }
}

// Sets position[i] to the row of unknown i in the node's panel.
void number_rows(const Supernodes& s, const Supernode& node, std::vector<int>& position) {
  for (int k = 0; k < node.rows; ++k) position[at(s.row[at(node.list + k)])] = k;
}

// Targets of the rows begin … end − 1 of `from`, which are unknowns of `to`.
void aim(Supernodes& s, const Supernode& from, const Supernode& to, int begin, int end,
         const std::vector<int>& position) {
  const int* row = s.row.data() + from.list;
  const int relative = static_cast<int>(s.relative_row.size());
  bool scattered = false;
  for (int i = end - 1; i >= begin; --i) {
    const int below = from.rows - 1 - i;
    scattered = position[at(row[from.rows - 1])] - position[at(row[i])] != below;
    const int column = to.panel + (row[i] - to.first) * to.rows;
    s.target[at(from.list + i)] =
        scattered ? Target{column, relative + i - begin} : Target{column + position[at(row[i])], -1};
  }
  if (!scattered) return;
  for (int k = begin; k < from.rows; ++k) s.relative_row.push_back(position[at(row[k])]);
}

}  // namespace

Supernodes::Supernodes(const Pattern& pattern) {
  const std::vector<std::vector<int>> columns = factor_columns(pattern);
  owner_ = find_supernodes(columns, *this);
  for (Supernode& node : nodes) find_runs(*this, node);

  std::vector<int> position(columns.size());
  target.resize(row.size());
  for (const Supernode& node : nodes) {
    for (int begin = node.width; begin < node.rows;) {
      const Supernode& to = nodes[at(owner_[at(row[at(node.list + begin)])])];
      int end = begin + 1;
      while (end < node.rows && row[at(node.list + end)] < to.first + to.width) ++end;
      number_rows(*this, to, position);
      aim(*this, node, to, begin, end, position);
      begin = end;
    }
  }

  find_stretches(*this);

  std::vector<int> length(columns.size(), 0);
  for (const auto& column : columns) {
    for (const int i : column) longest_row = std::max(longest_row, ++length[at(i)]);
  }
}

int Supernodes::place(int i, int j) const {
  if (i < j) std::swap(i, j);
  const Supernode& node = nodes[at(owner_[at(j)])];
  const auto begin = row.begin() + node.list, end = begin + node.rows;
  return node.panel + (j - node.first) * node.rows +
         static_cast<int>(std::lower_bound(begin, end, i) - begin);
}

}  // namespace trammel::linalg
