// trammel doctor: which optional parts this program has, what it was built with, and how to get the rest.
#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#ifdef TRAMMEL_SUNDIALS
#include <sundials/sundials_config.h>
#endif

#include "command.h"
#include "commands.h"
#include "library_versions.h"
#include "output_files.h"
#include "results/report/page.h"
#include "trammel/version.h"

namespace trammel::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// A part that a build or a machine may lack.
struct Part {
  std::string name;
  bool present = false;
  std::string detail;  // version or place; where it is missing: what does not work
  std::string remedy;  // how to get it
};

std::optional<fs::path> on_path(const char* program) {
  const char* path = std::getenv("PATH");
  for (std::string_view rest = path == nullptr ? "" : path; !rest.empty();) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const fs::path file = fs::path(rest.substr(0, end)) / program;
    if (access(file.c_str(), X_OK) == 0) return file;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return std::nullopt;
}

// The first line that a command prints; empty where it fails.
std::string first_line(const char* command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command, "r"), pclose);
  std::array<char, 256> line{};
  if (!pipe || std::fgets(line.data(), static_cast<int>(line.size()), pipe.get()) == nullptr) return {};
  std::string text(line.data());
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

Part klu_part() {
#ifdef TRAMMEL_KLU
  return {"KLU", true, "sparse solver of SuiteSparse, and AMD ordering", ""};
#else
  return {"KLU", false, "large systems use the built-in sparse solver alone",
          "install libsuitesparse-dev and build with -DTRAMMEL_KLU=ON"};
#endif
}

Part sundials_part() {
#ifdef TRAMMEL_SUNDIALS
  return {"SUNDIALS", true, fmt::format("{}: dae, cvode-adams, cvode-bdf", SUNDIALS_VERSION), ""};
#else
  return {"SUNDIALS", false, "the methods dae and cvode-* are missing",
          "install libsundials-dev and libsuitesparse-dev and build with -DTRAMMEL_SUNDIALS=ON"};
#endif
}

Part pages_part() {
  if (!results::report_page().empty()) return {"pages", true, "report.html and trammel view", ""};
  return {"pages", false, "runs write no report.html, and 'trammel view' has no page",
          "install nodejs and npm and build with -DTRAMMEL_PAGE=ON"};
}

Part python_part() {
  const std::string found =
      first_line("/usr/bin/python3 -c 'import trammel; print(trammel.__file__)' 2>/dev/null");
  if (!found.empty()) return {"Python", true, found, ""};
  return {"Python", false, "'import trammel' does not find the package",
          "install python3-trammel, or run 'make python' in the sources and set PYTHONPATH=build/python"};
}

Part program_part(const char* name, const char* use, const char* package) {
  if (const auto found = on_path(name)) return {name, true, found->string(), ""};
  return {name, false, use, fmt::format("install the package {}", package)};
}

// Whether results can be written where the program was started.
Part folder_part() {
  const std::string here = fs::current_path().string();
  try {
    require_writable(fs::current_path() / ".trammel-doctor");
    const double free = static_cast<double>(fs::space(here).available) / 1e9;
    return {"folder", true, fmt::format("{}: can be written to, {:.1f} GB free", here, free), ""};
  } catch (const std::exception&) {
    return {"folder", false, fmt::format("{} cannot be written to", here),
            "change to another folder, or give --out a folder that can be written to"};
  }
}

std::vector<Part> all_parts() {
  return {klu_part(),
          sundials_part(),
          pages_part(),
          python_part(),
          program_part("rsvg-convert", "'trammel plot' cannot write PNG files", "librsvg2-bin"),
          program_part("xdg-open", "'trammel view' does not open the browser by itself", "xdg-utils"),
          folder_part()};
}

std::string system_name() {
  utsname name{};
  if (uname(&name) != 0) return "unknown";
  return fmt::format("{} {} {}, {} processors", name.sysname, name.release, name.machine,
                     std::thread::hardware_concurrency());
}

class DoctorCommand final : public Command {
 public:
  CLI::App* add(CLI::App& app) override {
    CLI::App* command = app.add_subcommand(
        "doctor", "List optional parts and library versions, and how to get missing parts");
    command->add_flag("--json", json_, "Print JSON instead of text");
    command->footer("Example:\n  trammel doctor");
    return command;
  }

  int run() override {
    const std::vector<Part> parts = all_parts();
    fmt::print("{}", json_ ? as_json(parts).dump(2) + "\n" : as_text(parts));
    return kDone;
  }

 private:
  static Json as_json(const std::vector<Part>& parts) {
    Json told = Json::object(), versions = Json::object();
    for (const Part& part : parts)
      told[part.name] = {{"present", part.present}, {"detail", part.detail}, {"remedy", part.remedy}};
    for (const auto& [name, version] : library_versions()) versions[std::string(name)] = version;
    return {{"version", TRAMMEL_VERSION},
            {"program", fs::read_symlink("/proc/self/exe").string()},
            {"compiler", __VERSION__},
            {"system", system_name()},
            {"parts", told},
            {"libraries", versions}};
  }

  static std::string as_text(const std::vector<Part>& parts) {
    std::string text = fmt::format("Trammel {}  {}\nCompiler  {}\nSystem    {}\n\n", TRAMMEL_VERSION,
                                   fs::read_symlink("/proc/self/exe").string(), __VERSION__, system_name());
    for (const Part& part : parts) {
      text += fmt::format("{:<8}{:<14}{}\n", part.present ? "yes" : "missing", part.name, part.detail);
      if (!part.present) text += fmt::format("{:<22}{}\n", "", part.remedy);
    }
    text += "\nLibraries ";
    for (const auto& [name, version] : library_versions()) text += fmt::format(" {} {},", name, version);
    text.back() = '\n';
    return text;
  }

  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_doctor() { return std::make_unique<DoctorCommand>(); }

}  // namespace trammel::app
