// Files of meshes that are drawn: each is read once, when it is drawn first.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "trammel/mechanism.h"

namespace trammel::model {

class DrawnMeshes {
 public:
  // Null: there is no such file. The same file has the same source.
  std::shared_ptr<const MeshSource> find(const std::filesystem::path& path);

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const MeshSource>> known_;
};

}  // namespace trammel::model
