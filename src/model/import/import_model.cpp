// A foreign file to the text of a model file: XML → Robot → ModelBuilder.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "model/import/close_loops.h"
#include "model/import/formats.h"
#include "model/import/robot_model.h"
#include "model/import/robot_parts.h"
#include "model/reader/built_model.h"
#include "model/reader/model_file.h"

namespace trammel {
namespace {

struct ForeignFormat {
  const char* root;  // the name of the first element
  const char* name;
  model::Robot (*read)(model::ForeignReader&, model::ForeignFile&);
};

constexpr std::array<ForeignFormat, 3> kFormats = {{
    {"robot", "URDF", model::read_urdf},
    {"mujoco", "MJCF", model::read_mjcf},
    {"sdf", "SDF", model::read_sdf},
}};

const ForeignFormat* format_of(const model::XmlNode& root) {
  const auto found =
      std::ranges::find_if(kFormats, [&](const ForeignFormat& f) { return root.name == f.root; });
  return found == kFormats.end() ? nullptr : &*found;
}

// What is ignored and matters: told to a person, or refused.
void judge_ignored(Imported& out, bool strict) {
  // More than this nobody reads.
  constexpr std::size_t kNotes = 20;
  std::size_t more = 0;
  for (LedgerEntry& entry : out.ledger) {
    if (entry.outcome != Treatment::ignored || !entry.matters) continue;
    const std::string message = fmt::format("{} is ignored: {}", entry.element, entry.reason);
    if (strict) {
      entry.outcome = Treatment::refused;
      out.errors.push_back({entry.file, entry.line, 0, message, "remove it, or import without --strict"});
    } else if (out.notes.size() < kNotes) {
      out.notes.push_back(fmt::format("{}:{}: {}", entry.file, entry.line, message));
    } else {
      ++more;
    }
  }
  if (more > 0)
    out.notes.push_back(
        fmt::format("{}: {} more are ignored; `trammel import --json` lists them", out.path, more));
}

void write(Imported& out, const model::RobotModel& made) {
  out.model = made.builder.text();
  for (const std::string& entry : made.builder.entry_of_line()) {
    const auto found = made.lines.find(entry);
    out.line_of_line.push_back(found == made.lines.end() ? 0 : found->second);
  }
}

void close(Imported& out, model::ForeignReader& reader, model::XmlNode& root, model::Robot& robot) {
  const model::LoopClosing closing = close_loops(robot);
  if (!closing.failure.empty())
    reader.refuse(root, closing.failure,
                  "correct the frames, or close loops of joints with parallel axes by type '3d'");
  out.closing_move = closing.largest_move;
  for (const std::string& joint : closing.without_stop)
    out.notes.push_back(
        fmt::format("{}: joint '{}' gets no stop: no position was found that closes the loops within its "
                    "limits and the others",
                    out.path, joint));
  constexpr double kSeen = 1e-6;  // m, as summaries of runs tell it
  if (closing.largest_move > kSeen)
    out.notes.push_back(
        fmt::format("{}: the file's position leaves {} open; the joints were turned until they close, "
                    "which moved bodies by up to {:.3g} m",
                    out.path, robot.loops.empty() ? "equations of joints" : "loops", closing.largest_move));
}

bool moves(const model::Robot& robot) {
  for (int i = 1; i < static_cast<int>(robot.bodies.size()); ++i)
    if (robot.whole(i) == i) return true;
  return false;
}

void import_tree(Imported& out, model::XmlNode& root, const ImportOptions& options) {
  model::ForeignReader reader(options);
  model::ForeignFile file{out.path, root, {}};
  if (const ForeignFormat* format = format_of(root)) {
    if (!options.loops.empty() && std::string(format->name) != "URDF")
      reader.refuse(root, fmt::format("a side file of loops is for URDF, and this is {}", format->name),
                    "leave out --loops: the file itself has the loops");
    model::Robot robot = format->read(reader, file);
    if (reader.errors().empty()) unite(reader, robot);
    if (reader.errors().empty() && !moves(robot))
      reader.refuse(root, "nothing in the file moves: all its bodies are fixed to ground", "add a joint");
    if (reader.errors().empty()) close(out, reader, root, robot);
    if (reader.errors().empty())
      write(out,
            robot_model(robot,
                        fmt::format("Made of the {} file {} by `trammel import`; comments tell its lines.",
                                    format->name, file.path.filename().string())));
  } else {
    std::string known;
    for (const ForeignFormat& f : kFormats)
      known += fmt::format("{}<{}> ({})", known.empty() ? "" : ", ", f.root, f.name);
    reader.refuse(root,
                  fmt::format("a file that begins with <{}> is of no kind that Trammel reads", root.name),
                  "give one that begins with " + known);
  }
  model::add_to_ledger(root, out.ledger);
  out.ledger.insert(out.ledger.end(), file.side_ledger.begin(), file.side_ledger.end());
  out.errors = reader.errors();
}

}  // namespace

const char* to_string(Treatment outcome) {
  switch (outcome) {
    case Treatment::used:
      return "used";
    case Treatment::drawn:
      return "drawn";
    case Treatment::ignored:
      return "ignored";
    case Treatment::refused:
      return "refused";
  }
  return "";
}

bool is_foreign(const std::string& text) {
  const std::size_t start = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  const std::size_t first = text.find_first_not_of(" \t\r\n", start);
  return first != std::string::npos && text[first] == '<';
}

Imported import_model(const std::string& path, const ImportOptions& options) {
  Imported out;
  out.path = path;
  const std::filesystem::path from(path);
  out.model_path = options.model_folder.empty()
                       ? path
                       : (std::filesystem::path(options.model_folder) / from.filename()).string();
  const model::FileText file = model::read_model_file(path);
  if (file.error) {
    out.errors.push_back(*file.error);
    return out;
  }
  if (!is_foreign(file.text)) {
    out.errors.push_back({path, 1, 0, "this is no XML file",
                          "give a URDF, MJCF or SDF file; model files of Trammel need no import"});
    return out;
  }
  model::XmlDocument document = model::parse_xml(file.text, path);
  out.errors = document.errors;
  if (!out.errors.empty()) return out;
  import_tree(out, document.root, options);
  judge_ignored(out, options.strict);
  std::ranges::stable_sort(out.errors,
                           [](const InputError& a, const InputError& b) { return a.line < b.line; });
  if (!out.errors.empty()) out.model.clear();
  return out;
}

ModelInput read_imported(const Imported& imported, const std::vector<std::string>& settings,
                         UnreadOptions unread) {
  if (!imported.errors.empty()) return {{}, imported.errors, imported.notes};
  std::vector<model::LineOrigin> origins;
  for (const int line : imported.line_of_line) origins.push_back({imported.path, line});
  ModelInput input =
      model::read_made_model(imported.model, imported.model_path, std::move(origins), settings, unread, {});
  input.notes.insert(input.notes.begin(), imported.notes.begin(), imported.notes.end());
  return input;
}

}  // namespace trammel
