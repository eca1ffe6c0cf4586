// trammel plot: columns of results as SVG, PNG, or in the terminal.
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "command.h"
#include "commands.h"
#include "output_files.h"
#include "results/plot/column_plots.h"
#include "results/plot/terminal_plot.h"
#include "results/results_source.h"

namespace trammel::app {
namespace {

namespace fs = std::filesystem;

// The terminal's size in characters.
results::TerminalPlot terminal_size() {
  results::TerminalPlot size;
  winsize window{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0) {
    size.columns = window.ws_col;
  } else if (const char* columns = std::getenv("COLUMNS")) {
    size.columns = std::max(40, std::atoi(columns));
  }
  size.columns = std::min(size.columns, 200);
  size.colours = isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
  return size;
}

// librsvg's program makes the picture: PNG needs fonts, which an SVG leaves to whoever shows it.
void convert_to_png(const fs::path& drawing, const fs::path& png) {
  const pid_t child = fork();
  if (child == 0) {
    execlp("rsvg-convert", "rsvg-convert", "--zoom", "2", "--output", png.c_str(), drawing.c_str(),
           static_cast<char*>(nullptr));
    _exit(errno == ENOENT ? 127 : 126);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) < 0) throw std::runtime_error(std::strerror(errno));
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
    throw std::runtime_error(
        fmt::format("'{}' cannot be made: the program rsvg-convert is missing; install the package "
                    "librsvg2-bin, or name a file that ends in .svg",
                    png.string()));
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw std::runtime_error(fmt::format("rsvg-convert could not make '{}'", png.string()));
}

class PlotCommand final : public Command {
 public:
  CLI::App* add(CLI::App& app) override {
    CLI::App* command =
        app.add_subcommand("plot", "Draw columns of results: in the terminal, or as SVG or PNG");
    command->add_option("results", results_, "results.h5, the folder of a run, or its results.log")
        ->required();
    command->add_option(
        "columns", columns_,
        "Columns to plot: crank.angle, or A.force for all its components (default: lists them)");
    command->add_option("--out", out_, "File for the picture, .svg or .png (default: draws in the terminal)");
    command->add_option("--over", over_, "Column of the horizontal axis (default: the time)");
    command->footer(
        "Each unit has a panel. If the run estimated its errors, a band shows them.\n"
        "PNG needs the program rsvg-convert (package librsvg2-bin).\n"
        "Examples:\n"
        "  trammel plot results/four-bar\n"
        "  trammel plot results/four-bar crank.angle A.force\n"
        "  trammel plot results/four-bar/results.h5 P.y --over P.x --out curve.svg");
    return command;
  }

  int run() override {
    const fs::path out = out_;
    if (!out.empty() && out.extension() != ".svg" && out.extension() != ".png") {
      fmt::print(stderr, "--out: '{}' ends neither in .svg nor in .png; name such a file\n", out_);
      return kBadInput;
    }
    const results::ResultsTable table = results::read_results(results_);
    if (columns_.empty()) return list(table.rows);
    results::ColumnPlots wanted;
    try {
      wanted.columns = results::named_columns(table.rows, columns_);
      if (!over_.empty()) wanted.over = single_column(table.rows);
    } catch (const std::invalid_argument& error) {
      fmt::print(stderr, "{}: {}\n", results_, error.what());
      return kBadInput;
    }
    if (out.empty())
      draw(table, wanted);
    else
      write(out, results::svg_file(results::column_plots(table.rows, table.errors, wanted)));
    return kDone;
  }

 private:
  static int list(const Trajectory& rows) {
    for (const Channel& channel : rows.channels) fmt::print("{:<32} {}\n", channel.name, channel.unit);
    return kDone;
  }

  std::size_t single_column(const Trajectory& rows) const {
    const std::vector<std::size_t> found = results::named_columns(rows, {over_});
    if (found.size() > 1)
      throw std::invalid_argument(fmt::format("--over: '{}' names {} columns; name one, as '{}'", over_,
                                              found.size(), rows.channels[found.front()].name));
    return found.front();
  }

  static void draw(const results::ResultsTable& table, results::ColumnPlots wanted) {
    const results::TerminalPlot size = terminal_size();
    wanted.one_each = !size.colours;  // curves in one colour could not be told apart
    for (const results::Plot& plot : results::column_plots(table.rows, table.errors, wanted))
      fmt::print("{}\n", results::terminal_plot(plot, size));
  }

  static void write(const fs::path& out, const std::string& drawing) {
    require_writable(out);
    if (out.extension() == ".svg") return write_text(out, drawing);
    const fs::path temporary = out.string() + ".svg.partial";
    write_text(temporary, drawing);
    try {
      convert_to_png(temporary, out);
    } catch (...) {
      fs::remove(temporary);
      throw;
    }
    fs::remove(temporary);
  }

  std::string results_, out_, over_;
  std::vector<std::string> columns_;
};

}  // namespace

std::unique_ptr<Command> make_plot() { return std::make_unique<PlotCommand>(); }

}  // namespace trammel::app
