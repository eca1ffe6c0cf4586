// Basis: which points and unit vectors describe each body, and which of them neighbours share.
//
// Joints and forces first name the places they need (nodes); a joint may unite nodes of its bodies into one
// class. choose() then gives each body an origin and as many independent directions as its inertia and its
// nodes ask for, shared classes first, those fixed to ground before all. A class that is an element of at
// least one body (or of ground) is one variable; bodies that have it outside their basis see it by a
// constraint.
//
// With Sharing::none every body has elements of its own, its centre of mass and unit vectors along its axes,
// and sees every joint by a constraint.
//
//   García de Jalón & Bayo (1994), ch. 2; 12 coordinates for a general body, 6 for a slender rod, 4 in the
//   plane
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "system/measure.h"
#include "trammel/mechanism.h"

namespace trammel::system {

inline constexpr int kNoBody = -1;     // a Material that is an element itself
inline constexpr int kGroundBody = 0;  // bodies are numbered from 1 in order of the Mechanism

enum class Sharing { neighbours, none };

template <int D>
struct NaturalBody {
  std::string name;
  Body::Kind kind = Body::Kind::rigid;
  double mass = 0;
  double size = 0;                              // m, largest distance that matters on it
  Vec3 origin = Vec3::Zero();                   // local
  Eigen::MatrixXd directions;                   // 3 × r, local
  Eigen::MatrixXd inverse;                      // r × 3: coefficients of a local vector
  std::vector<int> elements;                    // origin, then one per direction
  std::vector<bool> is_point;                   // of each element
  std::vector<std::vector<Weight<D>>> inertia;  // mass blocks between its elements
  int rank() const { return static_cast<int>(directions.cols()); }
};

// A place on a body that something needs.
struct BodyNode {
  int body = 0;
  bool is_point = true;
  Vec3 local = Vec3::Zero();
  int group = -1;      // class, found by root()
  bool basis = false;  // an element of its body
  int joint = -1;      // that united it
};

// A class of nodes that are one place: members by body, and the joints that unite them.
struct SharedPlace {
  bool is_point = true;
  int element = -1;  // −1: no body has it in its basis
  std::vector<int> nodes;
  struct Meeting {
    int joint;
    std::vector<int> bodies;
  };
  std::vector<Meeting> meetings;
};

template <int D>
class Basis {
 public:
  Basis(const Mechanism& mechanism, Sharing sharing);

  int body_index(const std::string& name) const;
  int node(int body, bool is_point, const Vec3& local);
  // Makes two nodes one place by a joint; false when a body would get two places in one, or none is shared.
  bool unite(int a, int b, int joint);
  void choose();

  // A material point or vector; nothing when the body's directions do not reach it.
  std::optional<Material<D>> find(int body, bool is_point, const Vec3& local) const;
  // The same for what was named as a node before choose().
  Material<D> material(int body, bool is_point, const Vec3& local) const;
  Material<D> element(int e) const;

  Sharing sharing() const { return sharing_; }
  double length_scale() const { return length_scale_; }  // m
  int free_elements() const { return free_elements_; }
  int elements() const { return static_cast<int>(initial_.size()); }
  const Vec3& initial(int element) const { return initial_[static_cast<std::size_t>(element)]; }
  bool is_point(int element) const { return element_is_point_[static_cast<std::size_t>(element)]; }
  const std::vector<NaturalBody<D>>& bodies() const { return bodies_; }
  const std::vector<BodyNode>& nodes() const { return nodes_; }
  const std::vector<SharedPlace>& places() const { return places_; }

 private:
  void measure_sizes();
  int root(int node) const;
  int find_node(int body, bool is_point, const Vec3& local) const;
  Vec3 world(const BodyNode& node) const;
  int size_of_span(int body) const;
  void choose_body(int body);
  void choose_own(int body);
  void invert(NaturalBody<D>& body) const;
  bool accept_direction(NaturalBody<D>& body, const Vec3& direction) const;
  int new_element(bool is_point, bool fixed, const Vec3& initial);
  void fill_inertia(NaturalBody<D>& body, const Body& source);
  void number_elements();
  void collect_places();

  using ExactPlace = std::tuple<int, bool, double, double, double>;

  const Mechanism& mechanism_;
  Sharing sharing_;
  std::vector<NaturalBody<D>> bodies_;
  std::vector<BodyNode> nodes_;
  std::vector<std::vector<int>> nodes_of_;                   // by body
  std::vector<double> far_;                                  // m, of each body's origin from the world's
  std::vector<int> parent_;                                  // of the classes
  std::vector<std::vector<int>> members_;                    // by root node
  std::map<ExactPlace, int> exact_;                          // nodes by their very numbers
  std::map<std::string, int> index_;                         // bodies by name
  std::vector<std::pair<int, std::pair<int, int>>> unions_;  // joint, nodes
  std::vector<int> element_of_class_;                        // by root node, −1: none yet
  std::vector<Vec3> initial_;
  std::vector<bool> element_is_point_, element_fixed_;
  std::vector<SharedPlace> places_;
  int free_elements_ = 0;
  double length_scale_ = 0;
};

}  // namespace trammel::system
