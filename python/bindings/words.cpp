#include "words.h"

#include <array>
#include <utility>

namespace trammel::python {

std::string in_python(std::string text) {
  static constexpr std::array<std::pair<const char*, const char*>, 17> kWords = {{
      {"--hold", "hold=True"},
      {"give --step", "give step=1e-3"},
      {"--weight", "weights="},
      {"--idle", "idle="},
      {"--json lists them", "`figures` has them"},
      {"write --set bodies.crank.mass=2", "give {\"bodies.crank.mass\": 2}"},
      {"--set gravity=[0,0]", "with_({\"gravity\": [0, 0]})"},
      {"--resume goes on with it", "resume=True goes on with it"},
      {"give --observe 'peak(A.force)'", "give observe=[\"peak(A.force)\"]"},
      {"give --over NAME=LOW:HIGH", "give over={NAME: (LOW, HIGH)}"},
      {"give --parameters m,k", "give parameters=[\"m\", \"k\"]"},
      {"--minimize and --maximize", "minimize and maximize"},
      {"--minimize 'peak(A.force)'", "minimize=\"peak(A.force)\""},
      {"give --runs 1000", "give runs=1000"},
      {"--vary NAME=FROM:TO:COUNT", "vary={NAME: values}"},
      {"--sample NAME~DISTRIBUTION(…)", "sample={NAME: \"DISTRIBUTION(…)\"}"},
      {"--table RUNS.csv", "table=\"RUNS.csv\""},
  }};
  for (const auto& [command, python] : kWords)
    for (std::size_t at = text.find(command); at != std::string::npos; at = text.find(command, at)) {
      const std::string replacement = python;
      text.replace(at, std::string(command).size(), replacement);
      at += replacement.size();
    }
  return text;
}

}  // namespace trammel::python
