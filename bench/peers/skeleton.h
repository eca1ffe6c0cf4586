// Skeleton: a mechanism made into links.
//
// Point masses become part of the link that carries them, and a pin of several bodies becomes pins of two.
// The tree is grown breadth first from ground, so that branches are short; a body that nothing ties to ground
// hangs on a free joint.
#pragma once

#include <map>

#include "code.h"
#include "peers/links.h"

namespace trammel::bench {

class Skeleton {
 public:
  // Throws std::runtime_error for what it cannot express.
  explicit Skeleton(const Subject& subject);

  const Links& links() const { return all_; }
  // Of all bodies of the mechanism, point masses too.
  std::vector<Pose> poses(const std::vector<LinkState>& states) const;

 private:
  void collect_links();
  void collect_ties();
  void collect_forces();
  void grow_tree();
  int link_of(const std::string& body) const;

  const Subject& subject_;
  Links all_;
  std::map<std::string, int> link_index_;
  std::map<std::string, std::pair<std::string, Vec3>> carried_;  // point mass → carrier and place on it
};

}  // namespace trammel::bench
