// Joint remedies: which kind of joint, in the place of which joint, removes redundant equations.
//
// A joint with equations W is replaced by one with fewer equations V, all of which follow from W. The freedom
// of the mechanism stays as it is if and only if the rows that are dropped follow from all others: with Y the
// left null space of all rows, YᵀE = 0, if the dropped rows D = Q_D W have rank(Q_D Y_W) = number of D. Each
// equation dropped is then one redundant equation less. That is asked here and in a nearby position.
#pragma once

#include "analysis/joint_equations.h"

namespace trammel::analysis {

struct JointRemedy {
  std::string joint;
  std::string kind, instead;  // names of the kinds of joints
  std::vector<Vec3> axes;     // of the new joint, world axes, where it needs any; universal: one on each body
  int removes = 0;
};

struct JointRemedies {
  std::vector<JointRemedy> single;    // each alone; those that remove most first
  std::vector<JointRemedy> together;  // one after the other, until as few as can be are left
  int left = 0;                       // redundant equations then
};

// `names`: joints that depend on each other. `beside`: a position nearby; null: there is none.
JointRemedies joint_remedies(const JointEquations& equations, const std::vector<std::string>& names,
                             const State* beside);

}  // namespace trammel::analysis
