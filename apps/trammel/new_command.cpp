// trammel new: a commented model file to start from.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <stdexcept>

#include "command.h"
#include "commands.h"
#include "expressions/nearest_name.h"
#include "output_files.h"
#include "starters.h"

namespace trammel::app {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> starter_names() {
  std::vector<std::string> names;
  for (const Starter& starter : starters()) names.emplace_back(starter.name);
  return names;
}

// Comments that speak of FILE, with the name that the file has.
std::string named_text(std::string_view text, const fs::path& file) {
  std::string out(text);
  const auto replace = [&](const std::string& what, const std::string& by) {
    for (std::size_t at = out.find(what); at != std::string::npos; at = out.find(what, at + by.size()))
      out.replace(at, what.size(), by);
  };
  replace("results/FILE", "results/" + file.stem().string());
  replace("FILE", file.string());
  return out;
}

class NewCommand final : public Command {
 public:
  CLI::App* add(CLI::App& app) override {
    CLI::App* command = app.add_subcommand("new", "Write a commented model file to start from");
    command->add_option("kind", kind_, fmt::format("One of: {}", fmt::join(starter_names(), ", ")))
        ->required();
    command->add_option("file", file_, "The model file to write (default: KIND.yaml)");
    command->add_flag("--force", force_, "Replace a file that is there already");
    command->footer(
        "Examples:\n"
        "  trammel new four-bar press.yaml\n"
        "  trammel run press.yaml");
    return command;
  }

  int run() override {
    for (const Starter& starter : starters())
      if (starter.name == kind_) return write(starter);
    fmt::print(stderr, "there is no starter '{}'; {}\n", kind_,
               expressions::choice_advice(kind_, starter_names()));
    return kBadInput;
  }

 private:
  int write(const Starter& starter) const {
    const fs::path path = file_.empty() ? fs::path(kind_ + ".yaml") : fs::path(file_);
    if (fs::exists(path) && !force_)
      throw std::runtime_error(
          fmt::format("'{}' is there already; name another file, or replace it with --force", path.string()));
    require_writable(path);
    write_text(path, named_text(starter.text, path));
    fmt::print("Written: {0}\nRun it:  trammel run {0}\n", path.string());
    return kDone;
  }

  std::string kind_, file_;
  bool force_ = false;
};

}  // namespace

std::unique_ptr<Command> make_new() { return std::make_unique<NewCommand>(); }

}  // namespace trammel::app
