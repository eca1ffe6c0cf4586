// trammel man: manual pages, made of the commands as the parser has them.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <sstream>

#include "command.h"
#include "command_tree.h"
#include "commands.h"
#include "output_files.h"
#include "trammel/version.h"

namespace trammel::app {
namespace {

namespace fs = std::filesystem;

// Text of a page: no character that troff takes for its own.
std::string troff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  if (out.starts_with('.') || out.starts_with('\'')) out.insert(0, "\\&");
  return out;
}

std::string page_name(const CommandSpec& command) {
  std::string name = "trammel";
  for (const std::string& word : command.path) name += "-" + word;
  return name;
}

// What stands below the options of --help: sentences, and the commands of its examples.
struct Footer {
  std::vector<std::string> sentences, examples;
};

Footer split_footer(const std::string& text) {
  Footer footer;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("Example")) continue;
    if (line.starts_with("  "))
      footer.examples.push_back(line.substr(2));
    else if (!line.empty())
      footer.sentences.push_back(line);
  }
  return footer;
}

// The day that the page is made: of the sources where a build says so, which makes builds repeatable.
std::string page_date() {
  const char* epoch = std::getenv("SOURCE_DATE_EPOCH");
  const std::time_t day = epoch != nullptr ? static_cast<std::time_t>(std::atoll(epoch)) : std::time(nullptr);
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(day));
}

std::string synopsis(const CommandSpec& command) {
  std::string out = fmt::format(".SH SYNOPSIS\n.B {}\n[\\fIoptions\\fR]", troff(command.called()));
  if (!command.commands.empty()) out += " \\fIcommand\\fR";
  for (const ArgumentSpec& one : command.positionals) {
    const std::string word = fmt::format("\\fI{}\\fR{}", troff(one.name), one.many ? " ..." : "");
    out += one.required ? " " + word : " [" + word + "]";
  }
  return out + "\n";
}

std::string described(const std::string& title, const std::vector<ArgumentSpec>& arguments) {
  if (arguments.empty()) return {};
  std::string out = fmt::format(".SH {}\n", title);
  for (const ArgumentSpec& one : arguments) {
    const std::string brief =
        one.short_name.empty() ? "" : fmt::format("\\fB{}\\fR, ", troff(one.short_name));
    const std::string value = one.value.empty() ? "" : fmt::format(" \\fI{}\\fR", troff(one.value));
    out += fmt::format(".TP\n{}\\fB{}\\fR{}\n{}\n", brief, troff(one.name), value, troff(one.help));
  }
  return out;
}

std::string commands_of(const CommandSpec& command) {
  if (command.commands.empty()) return {};
  std::string out = ".SH COMMANDS\n";
  for (const CommandSpec& below : command.commands)
    out += fmt::format(".TP\n\\fB{}\\fR(1)\n{}\n", troff(page_name(below)), troff(below.help));
  return out;
}

std::string see_also(const CommandSpec& command) {
  if (command.path.empty()) return "";
  std::string above = "trammel";
  for (std::size_t i = 0; i + 1 < command.path.size(); ++i) above += "-" + command.path[i];
  return fmt::format(".SH SEE ALSO\n.BR {} (1)\n", troff(above));
}

std::string man_page(const CommandSpec& command) {
  const std::string name = page_name(command);
  std::string title = name;
  std::ranges::transform(title, title.begin(), [](unsigned char c) { return std::toupper(c); });
  std::string out = fmt::format(
      ".\\\" Made by 'trammel man'.\n.TH {} 1 {} \"Trammel {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n",
      troff(title), page_date(), TRAMMEL_VERSION, troff(name), troff(command.help));
  out += synopsis(command);
  const Footer footer = split_footer(command.footer);
  out += ".SH DESCRIPTION\n" + troff(command.help) + (command.help.ends_with('.') ? "\n" : ".\n");
  for (const std::string& sentence : footer.sentences) out += troff(sentence) + "\n";
  out += commands_of(command) + described("ARGUMENTS", command.positionals) +
         described("OPTIONS", command.options);
  if (!footer.examples.empty()) {
    out += ".SH EXAMPLES\n.nf\n";
    for (const std::string& example : footer.examples) out += troff(example) + "\n";
    out += ".fi\n";
  }
  return out + see_also(command);
}

class ManCommand final : public Command {
 public:
  CLI::App* add(CLI::App& app) override {
    app_ = &app;
    CLI::App* command = app.add_subcommand("man", "Print the manual page of a command, or write all of them");
    command->add_option("command", words_, "The command, as 'solve modes' (default: the program itself)");
    command->add_option("--out", out_, "Write the pages of all commands to this folder");
    command->footer(
        "'make install' and the Debian package install the pages: 'man trammel-run'.\n"
        "Examples:\n"
        "  trammel man run | man -l -\n"
        "  trammel man --out man1");
    return command;
  }

  int run() override {
    const CommandSpec root = command_tree(*app_);
    if (!out_.empty()) make_folder(out_);
    for (const CommandSpec* command : all_commands(root)) {
      if (!out_.empty())
        write_text(fs::path(out_) / (page_name(*command) + ".1"), man_page(*command));
      else if (command->path == words_) {
        fmt::print("{}", man_page(*command));
        return kDone;
      }
    }
    if (!out_.empty()) return kDone;
    fmt::print(stderr, "there is no command '{}'; 'trammel --help' lists them\n", fmt::join(words_, " "));
    return kBadInput;
  }

 private:
  const CLI::App* app_ = nullptr;
  std::vector<std::string> words_;
  std::string out_;
};

}  // namespace

std::unique_ptr<Command> make_man() { return std::make_unique<ManCommand>(); }

}  // namespace trammel::app
