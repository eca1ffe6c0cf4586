#include "command_tree.h"

#include <algorithm>
#include <utility>

#include "describe.h"
#include "simulation/plan_options.h"
#include "starters.h"

namespace trammel::app {
namespace {

// Where names say what stands there. Options of the plan are found in its table.
constexpr std::pair<const char*, Words> kWords[] = {
    {"model", Words::model},    {"results", Words::results}, {"a", Words::results},
    {"b", Words::results},      {"columns", Words::columns}, {"--over", Words::columns},
    {"--set", Words::keys},     {"folder", Words::folder},   {"file", Words::file},
    {"journal", Words::file},   {"--out", Words::file},      {"--report", Words::file},
    {"--save", Words::file},    {"--journal", Words::file},  {"--write", Words::file},
    {"--loops", Words::file},   {"--papers", Words::folder}, {"--save-end", Words::file},
    {"--matrices", Words::file}};

std::vector<std::string> split_choices(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

// Choices that only the program's tables know, or that the parser checks: {fixed,free}.
std::vector<std::string> choices_of(const CLI::Option& option, const std::string& name) {
  std::vector<std::string> choices;
  if (name == "topic")
    for (const DescribeTopic& topic : describe_topics()) choices.emplace_back(topic.name);
  if (name == "kind")
    for (const Starter& starter : starters()) choices.emplace_back(starter.name);
  for (const simulation::PlanOption& plan : simulation::plan_options())
    if (name == std::string("--") + plan.key) choices = plan.choices;
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{'), close = type.find('}');
  if (choices.empty() && open != std::string::npos && close != std::string::npos)
    choices = split_choices(type.substr(open + 1, close - open - 1));
  return choices;
}

// "FILE", "FOLDER", "NUMBER", "NAME": what a person reads after an option.
std::string value_name(const CLI::Option& option, Words words) {
  if (option.get_expected_max() == 0) return {};
  switch (words) {
    case Words::file:
    case Words::model:
    case Words::results:
      return "FILE";
    case Words::folder:
      return "FOLDER";
    case Words::keys:
      return "KEY=VALUE";
    case Words::columns:
      return "COLUMN";
    case Words::choices:
      return "NAME";
    default:
      return "VALUE";
  }
}

ArgumentSpec argument(const CLI::Option& option) {
  ArgumentSpec spec;
  const bool positional = option.get_positional();
  spec.name = positional ? option.get_name(true) : "--" + option.get_lnames().front();
  if (!option.get_snames().empty()) spec.short_name = "-" + option.get_snames().front();
  spec.help = option.get_description();
  spec.required = option.get_required();
  spec.many = option.get_items_expected_max() > 1 ||
              option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
  spec.choices = choices_of(option, spec.name);
  const auto known =
      std::ranges::find(kWords, spec.name, [](const auto& pair) { return std::string(pair.first); });
  spec.words = !spec.choices.empty()       ? Words::choices
               : known != std::end(kWords) ? known->second
                                           : Words::none;
  spec.value = positional ? "" : value_name(option, spec.words);
  return spec;
}

CommandSpec command_spec(const CLI::App& app, const std::vector<std::string>& path) {
  CommandSpec spec;
  spec.path = path;
  spec.help = app.get_description();
  spec.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional())
      spec.positionals.push_back(argument(*option));
    else if (!option->get_lnames().empty())
      spec.options.push_back(argument(*option));
  }
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    std::vector<std::string> longer = path;
    longer.push_back(command->get_name());
    spec.commands.push_back(command_spec(*command, longer));
  }
  return spec;
}

void collect(const CommandSpec& spec, std::vector<const CommandSpec*>& all) {
  all.push_back(&spec);
  for (const CommandSpec& command : spec.commands) collect(command, all);
}

}  // namespace

std::string CommandSpec::called() const {
  std::string text = "trammel";
  for (const std::string& word : path) text += " " + word;
  return text;
}

CommandSpec command_tree(const CLI::App& app) { return command_spec(app, {}); }

std::vector<const CommandSpec*> all_commands(const CommandSpec& root) {
  std::vector<const CommandSpec*> all;
  collect(root, all);
  return all;
}

}  // namespace trammel::app
