// trammel completion: scripts for shells, and the words that they ask for while a person types.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "command.h"
#include "commands.h"
#include "completion.h"
#include "model/reader/model_file.h"
#include "model/yaml/yaml_tree.h"
#include "results/results_source.h"
#include "simulation/plan_options.h"

namespace trammel::app {

std::string short_help(const std::string& help) {
  std::size_t end = help.size();
  for (const char* mark : {": ", " (", "; ", "\n"}) end = std::min(end, help.find(mark));
  return help.substr(0, end);
}

namespace {

// Paths of a model's values, as --set takes them.
void add_keys_of(const model::YamlNode& node, const std::string& path, std::set<std::string>& keys) {
  for (std::size_t i = 0; node.is_map() && i < node.entries(); ++i)
    add_keys_of(node.value(i), path + (path.empty() ? "" : ".") + node.key(i).text, keys);
  if (!node.is_map() && !path.empty()) keys.insert(path + "=");
}

// A file that cannot be read has none.
std::set<std::string> keys_of(const std::string& path) {
  std::set<std::string> keys;
  add_keys_of(model::parse_yaml(model::read_model_file(path).text).root, "", keys);
  for (const std::string& key : simulation::option_keys("simulate")) keys.insert("simulate." + key + "=");
  return keys;
}

class CompletionCommand final : public Command {
 public:
  CLI::App* add(CLI::App& app) override {
    app_ = &app;
    CLI::App* command =
        app.add_subcommand("completion", "Print the script that completes commands in a shell");
    command->add_option("shell", shell_, "The shell; 'words' prints what the scripts ask for")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish", "words"}));
    command->add_option("what", what_, "For words: keys (of a model) or columns (of results)");
    command->add_option("file", file_, "For words: the model or the results");
    command->footer(
        "'make install' and the Debian package install the scripts. By hand:\n"
        "Examples:\n"
        "  trammel completion bash > ~/.local/share/bash-completion/completions/trammel\n"
        "  trammel completion zsh > ~/.zfunc/_trammel\n"
        "  trammel completion fish > ~/.config/fish/completions/trammel.fish");
    return command;
  }

  int run() override {
    if (shell_ == "words") return words();
    const CommandSpec root = command_tree(*app_);
    fmt::print("{}", shell_ == "bash"  ? bash_completion(root)
                     : shell_ == "zsh" ? zsh_completion(root)
                                       : fish_completion(root));
    return kDone;
  }

 private:
  int words() const {
    if (what_ == "keys") {
      for (const std::string& key : keys_of(file_)) fmt::print("{}\n", key);
      return kDone;
    }
    if (what_ == "columns") {
      for (const Channel& channel : results::read_results(file_).rows.channels)
        fmt::print("{}\n", channel.name);
      return kDone;
    }
    fmt::print(stderr, "trammel completion words: name keys or columns, and a file\n");
    return kBadInput;
  }

  const CLI::App* app_ = nullptr;
  std::string shell_, what_, file_;
};

}  // namespace

std::unique_ptr<Command> make_completion() { return std::make_unique<CompletionCommand>(); }

}  // namespace trammel::app
