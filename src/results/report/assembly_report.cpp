#include "results/report/assembly_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "results/report/words.h"

namespace trammel::results {

nlohmann::ordered_json assembly_json(const AssemblyReport& assembly) {
  return {{"largest_move", assembly.largest_move}, {"rough_shapes", assembly.rough_shapes}};
}

std::string assembly_lines(const AssemblyReport& assembly) {
  std::string text;
  // A placement that is exact to a micrometre is not worth a line.
  if (assembly.largest_move > 1e-6)
    text += summary_line("assembly", fmt::format("moved points by up to {:.3g} m", assembly.largest_move));
  if (!assembly.rough_shapes.empty())
    text +=
        summary_line("rough shapes",
                     fmt::format("{}: assembly moved points that they carry, and their shape is still that "
                                 "of the first places; give these exactly, or as points of the body",
                                 fmt::join(assembly.rough_shapes, ", ")));
  return text;
}

}  // namespace trammel::results
