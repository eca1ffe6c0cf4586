#include "system/natural/shared_flows.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>

namespace trammel::system::shared_flows_test {
namespace {

// The equations that flows obey, one row per moving body and one per joint; and the right side for given R.
struct Balance {
  explicit Balance(const SharedPlace& place, const SharedFlows& shared)
      : bodies(static_cast<Eigen::Index>(shared.bodies().size())),
        sums(Eigen::MatrixXd::Zero(bodies + static_cast<Eigen::Index>(place.meetings.size()),
                                   static_cast<Eigen::Index>(shared.flows().size()))) {
    for (std::size_t k = 0; k < shared.flows().size(); ++k) {
      const auto column = static_cast<Eigen::Index>(k);
      const auto body = std::ranges::find(shared.bodies(), shared.flows()[k].body);
      if (body != shared.bodies().end()) sums(body - shared.bodies().begin(), column) = 1;
      const auto joint =
          std::ranges::find(place.meetings, shared.flows()[k].joint, &SharedPlace::Meeting::joint);
      sums(bodies + (joint - place.meetings.begin()), column) = 1;
    }
  }
  // The shortest flows, by the pseudo-inverse.
  Eigen::MatrixXd shortest(const Eigen::MatrixXd& R) const {
    return R * sums.completeOrthogonalDecomposition().pseudoInverse().leftCols(bodies).transpose();
  }

  Eigen::Index bodies;
  Eigen::MatrixXd sums;
};

SharedPlace place_of(std::vector<std::vector<int>> bodies_of_joints) {
  SharedPlace place;
  for (std::size_t j = 0; j < bodies_of_joints.size(); ++j)
    place.meetings.push_back({static_cast<int>(j), bodies_of_joints[j]});
  return place;
}

// Sums of a dozen numbers of order one.
constexpr double kRounding = 1e-13;

void expect_shortest(const SharedPlace& place, Eigen::Index loops) {
  const SharedFlows shared(place);
  const Balance balance(place, shared);
  const Eigen::MatrixXd R = Eigen::MatrixXd::Random(2, balance.bodies);
  EXPECT_LT((shared.divide(R) - balance.shortest(R)).norm(), kRounding);
  ASSERT_EQ(shared.free().cols(), loops);
  if (loops == 0) return;
  EXPECT_LT((balance.sums * shared.free()).norm(), kRounding);
  EXPECT_EQ(shared.free().colPivHouseholderQr().rank(), loops);
}

TEST(SharedFlows, follow_a_tree_of_joints) { expect_shortest(place_of({{1, 0}, {2, 1}, {3, 2}, {4, 2}}), 0); }

TEST(SharedFlows, take_the_shortest_way_around_loops) {
  // Three bodies joined two by two; two joints between the same two bodies; two joints to ground.
  expect_shortest(place_of({{1, 2}, {2, 3}, {3, 1}, {1, 0}}), 1);
  expect_shortest(place_of({{1, 2}, {1, 2}, {2, 0}}), 1);
  expect_shortest(place_of({{1, 0}, {1, 2}, {2, 0}}), 1);
  expect_shortest(place_of({{1, 2, 3}, {1, 2, 3}, {3, 0}}), 2);
}

// Without ground the forces on the bodies must add up to zero; any root will do.
TEST(SharedFlows, need_no_ground) {
  const SharedPlace place = place_of({{1, 2}, {2, 3}});
  const SharedFlows shared(place);
  const Balance balance(place, shared);
  Eigen::MatrixXd R(1, 3);
  R << 2, -3, 1;
  EXPECT_LT((shared.divide(R) - balance.shortest(R)).norm(), kRounding);
}

// A pin of many bodies is divided in a time linear in their number; a dense matrix of all flows would have
// 10⁹ entries.
TEST(SharedFlows, divide_what_thousands_of_bodies_receive) {
  SharedPlace place = place_of({{1, 0}});
  constexpr int kBodies = 20'000;
  for (int b = 2; b <= kBodies; ++b) place.meetings.push_back({b - 1, {b, 1}});
  const SharedFlows shared(place);
  const Eigen::MatrixXd flows = shared.divide(Eigen::MatrixXd::Ones(1, kBodies));
  // All of it passes through the joint to ground.
  EXPECT_EQ(flows(0, 0), kBodies);
  EXPECT_EQ(flows(0, 1), -kBodies);
}

}  // namespace
}  // namespace trammel::system::shared_flows_test
