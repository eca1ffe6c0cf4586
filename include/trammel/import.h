// Robots and machines from URDF, MJCF and SDF files: a foreign file becomes the text of a model file.
//
//   const Imported robot = import_model("robot.urdf");
//   for (const LedgerEntry& entry : robot.ledger) …    what became of every element and attribute
//   robot.model                                         the model file, for a person to go on editing
//
// read_model() takes such files directly, by the defaults of ImportOptions. docs/robots.md tells what is
// understood.
#pragma once

#include <string>
#include <vector>

#include "trammel/model.h"

namespace trammel {

// What became of an element or attribute: it is part of the model; it is shown and no more; it is left out;
// the file cannot be imported because of it.
enum class Treatment { used, drawn, ignored, refused };
const char* to_string(Treatment outcome);

struct LedgerEntry {
  std::string element;  // "robot/link[arm]/inertial/mass@value"
  std::string file;     // the file itself, or one that it includes
  int line = 0;
  Treatment outcome = Treatment::used;
  std::string reason;    // why it is ignored or refused; what an element that is used became
  bool matters = false;  // ignored, and the motion could be another with it
};

// How the root of a URDF or SDF model stands: as the file says (docs/robots.md), welded to ground, or
// floating.
enum class Base { as_in_file, fixed, free };

struct ImportOptions {
  Base base = Base::as_in_file;
  bool strict = false;          // refuse what is ignored and matters for the motion
  bool accept_inertia = false;  // replace inertias that no body has by the nearest that one has
  std::string
      loops;  // URDF: the side file with `closed_loop`; empty: the one beside the file, if it is there
  std::string
      model_folder;  // where the model will stand, which names meshes from there; empty: beside the file
};

struct Imported {
  std::string model;                // empty if there are errors
  std::vector<LedgerEntry> ledger;  // in the order of the file
  std::vector<InputError> errors;   // what was refused
  std::vector<std::string> notes;   // what a person should know: what is left out and matters
  std::vector<int> line_of_line;    // the line of the foreign file behind each line of the model; 0: none
  double closing_move = 0;  // m: how far bodies were moved so that loops close that the file leaves open
  std::string path;
  std::string model_path;  // where the model stands, with names of meshes as seen from there
};

// Whether a file is XML by its first character, and so not a model file of Trammel.
bool is_foreign(const std::string& text);
Imported import_model(const std::string& path, const ImportOptions& options = {});
// The mechanism of what was imported; errors name lines of the foreign file.
ModelInput read_imported(const Imported& imported, const std::vector<std::string>& settings = {},
                         UnreadOptions unread = UnreadOptions::refused);

}  // namespace trammel
