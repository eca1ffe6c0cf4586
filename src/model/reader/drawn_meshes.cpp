#include "model/reader/drawn_meshes.h"

#include <fmt/format.h>

#include <utility>

#include "mechanism/simplify_mesh.h"
#include "model/reader/mesh_files.h"

namespace trammel::model {
namespace {

class MeshOnDisk final : public MeshSource {
 public:
  explicit MeshOnDisk(std::filesystem::path path) : path_(std::move(path)) {}

  Surface drawn(std::size_t most_triangles) const override {
    const std::scoped_lock lock(mutex_);
    if (most_triangles != most_ || (!last_.mesh && last_.note.empty())) last_ = read(most_triangles);
    most_ = most_triangles;
    return last_;
  }

 private:
  Surface read(std::size_t most_triangles) const {
    const std::string name = path_.filename().string();
    const auto file = read_mesh(path_.string());
    if (const auto* error = std::get_if<MeshError>(&file))
      return {nullptr, fmt::format("the mesh '{}' is not drawn: {}", name, error->message)};
    const auto& mesh = std::get<SurfaceMesh>(file);
    if (mesh.triangles.size() <= most_triangles) return {std::make_shared<const SurfaceMesh>(mesh), ""};
    auto coarse = std::make_shared<const SurfaceMesh>(mechanism::simplified(mesh, most_triangles));
    return {coarse, fmt::format("of the mesh '{}' {} triangles are drawn in place of {}", name,
                                coarse->triangles.size(), mesh.triangles.size())};
  }

  std::filesystem::path path_;
  mutable std::mutex mutex_;
  mutable std::size_t most_ = 0;
  mutable Surface last_;
};

}  // namespace

std::shared_ptr<const MeshSource> DrawnMeshes::find(const std::filesystem::path& path) {
  std::error_code unreadable;
  if (!std::filesystem::is_regular_file(path, unreadable)) return nullptr;
  const std::scoped_lock lock(mutex_);
  auto& source = known_[path.string()];
  if (!source) source = std::make_shared<MeshOnDisk>(path);
  return source;
}

}  // namespace trammel::model
