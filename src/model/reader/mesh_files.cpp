#include "model/reader/mesh_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <sstream>
#include <string_view>

#include "mechanism/solids.h"
#include "model/reader/collada.h"
#include "model/reader/model_file.h"

namespace trammel::model {
namespace {

// Larger files are a mistake: a body's inertia needs no more.
constexpr std::size_t kMostTriangles = 2'000'000;
// Of a binary STL file: a header of 80 bytes and a count, then 50 bytes for each triangle.
constexpr std::size_t kHead = 84, kTriangle = 50;

using Result = std::variant<SurfaceMesh, MeshError>;

template <class T>
T number_at(const std::string& bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

// The count of triangles, if the file's length fits it.
std::size_t binary_triangles(const std::string& bytes) {
  if (bytes.size() < kHead) return 0;
  const std::size_t count = number_at<std::uint32_t>(bytes, kHead - 4);
  return bytes.size() == kHead + kTriangle * count ? count : 0;
}

SurfaceMesh binary_stl(const std::string& bytes, std::size_t count) {
  SurfaceMesh mesh;
  for (std::size_t k = 0; k < count; ++k) {
    const int first = static_cast<int>(mesh.vertices.size());
    for (std::size_t v = 0; v < 3; ++v) {
      // after the normal, which the vertices tell as well
      const std::size_t at = kHead + kTriangle * k + 12 * (v + 1);
      mesh.vertices.emplace_back(number_at<float>(bytes, at), number_at<float>(bytes, at + 4),
                                 number_at<float>(bytes, at + 8));
    }
    mesh.triangles.push_back({first, first + 1, first + 2});
  }
  return mesh;
}

// Words between spaces, one after the other.
class Words {
 public:
  explicit Words(std::string_view text) : left_(text) {}

  std::string_view next() {
    const std::size_t first = left_.find_first_not_of(kSpaces);
    if (first == std::string_view::npos) return left_ = {};
    left_.remove_prefix(first);
    const std::size_t size = std::min(left_.find_first_of(kSpaces), left_.size());
    const std::string_view word = left_.substr(0, size);
    left_.remove_prefix(size);
    return word;
  }

  std::optional<Vec3> next_vertex() {
    Vec3 v;
    for (int k = 0; k < 3; ++k) {
      std::string_view word = next();
      if (word.starts_with('+')) word.remove_prefix(1);
      const auto [stop, code] = std::from_chars(word.data(), word.data() + word.size(), v[k]);
      if (code == std::errc::invalid_argument || stop != word.data() + word.size()) return {};
    }
    return v;
  }

 private:
  static constexpr std::string_view kSpaces = " \t\r\n";
  std::string_view left_;
};

Result text_stl(const std::string& bytes) {
  Words words(bytes);
  SurfaceMesh mesh;
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    if (word != "vertex") continue;
    const auto v = words.next_vertex();
    if (!v)
      return MeshError{fmt::format("vertex {} is not three numbers", mesh.vertices.size() + 1),
                       "write the file again as STL"};
    mesh.vertices.push_back(*v);
  }
  if (mesh.vertices.empty() || mesh.vertices.size() % 3 != 0)
    return MeshError{fmt::format("it has {} vertices, which are no whole triangles", mesh.vertices.size()),
                     "write the file again as STL"};
  for (int k = 0; k < static_cast<int>(mesh.vertices.size()); k += 3)
    mesh.triangles.push_back({k, k + 1, k + 2});
  return mesh;
}

// A face of OBJ, cut into triangles; false: it is none. Corners are a, a/b or a/b/c, from 1, or backwards
// from −1.
bool add_face(Words words, SurfaceMesh& mesh) {
  std::vector<int> face;
  const int count = static_cast<int>(mesh.vertices.size());
  for (std::string_view corner = words.next(); !corner.empty(); corner = words.next()) {
    int k = 0;
    if (std::from_chars(corner.data(), corner.data() + corner.size(), k).ec != std::errc()) return false;
    k = k < 0 ? count + k : k - 1;
    if (k < 0 || k >= count) return false;
    face.push_back(k);
  }
  for (std::size_t k = 1; k + 1 < face.size(); ++k) mesh.triangles.push_back({face[0], face[k], face[k + 1]});
  return face.size() >= 3;
}

// v x y z; f a b c …
Result obj(const std::string& bytes) {
  SurfaceMesh mesh;
  std::string_view left = bytes;
  for (int number = 1; !left.empty(); ++number) {
    const std::size_t end = std::min(left.find('\n'), left.size());
    const std::string_view line = left.substr(0, end);
    left.remove_prefix(std::min(end + 1, left.size()));
    Words words(line);
    const std::string_view what = words.next();
    bool is_right = true;
    if (what == "v") {
      const auto v = words.next_vertex();
      is_right = v.has_value();
      if (v) mesh.vertices.push_back(*v);
    } else if (what == "f") {
      is_right = add_face(words, mesh);
    }
    if (!is_right)
      return MeshError{fmt::format("line {} '{}' is no vertex or face of it", number, line.substr(0, 40)),
                       "write the file again as OBJ"};
  }
  return mesh;
}

// The first word of the first line that is not a remark.
std::string first_word(const std::string& bytes) {
  std::istringstream in(bytes.substr(0, 4096));
  std::string line, word;
  while (std::getline(in, line)) {
    std::istringstream words(line);
    if (words >> word && word[0] != '#') return word;
  }
  return {};
}

Result parsed(const std::string& bytes) {
  if (const std::size_t count = binary_triangles(bytes); count > 0) return binary_stl(bytes, count);
  const std::size_t first = bytes.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (first != std::string::npos && bytes[first] == '<') return parse_collada(bytes);
  const std::string word = first_word(bytes);
  if (word == "solid") return text_stl(bytes);
  for (const char* begin : {"v", "vn", "vt", "o", "g", "s", "mtllib", "usemtl"})
    if (word == begin) return obj(bytes);
  return MeshError{"it is neither STL, OBJ nor DAE", "give an STL, OBJ or DAE file"};
}

}  // namespace

Result parse_mesh(const std::string& bytes) {
  if (bytes.size() > kMostTriangles * kTriangle * 6)
    return MeshError{"it is too large", fmt::format("give at most {} triangles", kMostTriangles)};
  Result read = parsed(bytes);
  auto* mesh = std::get_if<SurfaceMesh>(&read);
  if (mesh == nullptr) return read;
  for (const Vec3& v : mesh->vertices)
    if (!v.allFinite()) return MeshError{"a vertex is not finite", "give finite numbers"};
  mechanism::weld(*mesh);
  return read;
}

Result read_mesh(const std::string& path) {
  const FileText file = read_data_file(path);
  if (file.error) return MeshError{file.error->message, "give the path of an STL, OBJ or DAE file"};
  return parse_mesh(file.text);
}

}  // namespace trammel::model
