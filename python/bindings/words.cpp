#include "words.h"

#include <array>
#include <utility>

namespace trammel::python {

std::string in_python(std::string text) {
  static constexpr std::array<std::pair<const char*, const char*>, 37> kWords = {{
      {"(--tolerance)", "(tolerance=…)"},
      {"--compare COLUMN=EXPRESSION", "compare={COLUMN: EXPRESSION}"},
      {"choose one of: on, off", "give True or False"},
      {"choose one of: true, false", "give True or False"},
      {"try another --port", "try another port=…, or port=0 for any free one"},
      {"name another file by --journal", "name another file by journal=…"},
      {"write one behind the '='", "give a value"},
      {"a setting has the form path=value", "a setting has a path and a value"},
      {"write NAME=LOW:HIGH", "give {NAME: (LOW, HIGH)}"},
      {"write NAME, NAME=START or NAME=START:LOW:HIGH",
       "give {NAME: None}, {NAME: START} or {NAME: (START, LOW, HIGH)}"},
      {"write NAME=START:LOW:HIGH", "give {NAME: (START, LOW, HIGH)}"},
      {" (--strict)", " (strict=True)"},
      {"(--stable)", "(stable=True)"},
      {"(--at stable)", "(at=\"stable\")"},
      {"`trammel import --accept-inertia`", "tr.import_model(…, accept_inertia=True)"},
      {"`trammel import --json` lists them", "the ledger of tr.import_model() lists them"},
      {"import without --strict", "import without strict=True"},
      {"as --step 1e-3, and no tolerance", "as step=1e-3, and no tolerance"},
      {"--all searches", "starts= searches"},
      {"--samples or --spacing", "samples or spacing"},
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
