// The readers of foreign files: the tree of an XML document to a Robot. What they refuse is in the errors of
// the ForeignReader; then the Robot is of no use.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "model/import/foreign_reader.h"
#include "model/import/robot.h"

namespace trammel::model {

// What all of them are given: the file, for others that it names, and the ledger of such that are no XML.
struct ForeignFile {
  std::filesystem::path path;
  XmlNode& root;
  std::vector<LedgerEntry> side_ledger;
};

Robot read_urdf(ForeignReader& reader, ForeignFile& file);
Robot read_mjcf(ForeignReader& reader, ForeignFile& file);
Robot read_sdf(ForeignReader& reader, ForeignFile& file);

}  // namespace trammel::model
