#include "results/files/results_hdf5.h"

#include <gtest/gtest.h>
#include <hdf5.h>

#include <algorithm>
#include <cmath>

#include "results/files/test_support.h"

namespace trammel::results::results_hdf5_test {
namespace {

// Looks into files with HDF5's own functions, as another program would.
class ResultsHdf5Test : public ResultsTest {
 protected:
  std::filesystem::path path() const { return folder() / "results.h5"; }

  void open() { file_ = H5Fopen(path().c_str(), H5F_ACC_RDONLY, H5P_DEFAULT); }
  void TearDown() override {
    if (file_ >= 0) H5Fclose(file_);
  }
  hid_t file() const { return file_; }

  std::vector<std::string> texts(const char* object, const char* attribute) const {
    const hid_t id = H5Aopen_by_name(file_, object, attribute, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t type = H5Aget_type(id);
    const hid_t space = H5Aget_space(id);
    std::vector<char*> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
    H5Aread(id, type, static_cast<void*>(values.data()));
    std::vector<std::string> result(values.begin(), values.end());
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, static_cast<void*>(values.data()));
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(id);
    return result;
  }

  std::string text(const char* object, const char* attribute) const { return texts(object, attribute).at(0); }

  bool exists(const std::string& object) const { return H5Lexists(file_, object.c_str(), H5P_DEFAULT) > 0; }

  std::vector<double> values(const char* dataset) const {
    const std::vector<hsize_t> size = extent(dataset);
    hsize_t count = 1;
    for (const hsize_t n : size) count *= n;
    std::vector<double> result(count);
    const hid_t id = H5Dopen2(file_, dataset, H5P_DEFAULT);
    H5Dread(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, result.data());
    H5Dclose(id);
    return result;
  }

  std::vector<hsize_t> extent(const char* dataset) const {
    const hid_t id = H5Dopen2(file_, dataset, H5P_DEFAULT);
    const hid_t space = H5Dget_space(id);
    std::vector<hsize_t> result(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
    H5Sget_simple_extent_dims(space, result.data(), nullptr);
    H5Sclose(space);
    H5Dclose(id);
    return result;
  }

 private:
  hid_t file_ = -1;
};

using Texts = std::vector<std::string>;
using Extent = std::vector<hsize_t>;

TEST_F(ResultsHdf5Test, ReadsBackWhatWasWritten) {
  const LogContents run = sample_run();
  write_hdf5(path(), run);
  const Trajectory read = read_hdf5(path());
  EXPECT_EQ(read.channels, run.trajectory.channels);
  EXPECT_EQ(bits(read.values), bits(run.trajectory.values));
  EXPECT_EQ(files(), Texts{"results.h5"});
}

TEST_F(ResultsHdf5Test, SaysWhatTheRunWas) {
  const LogContents run = sample_run();
  write_hdf5(path(), run);
  open();
  EXPECT_EQ(text("/", "model"), run.header.model);
  EXPECT_EQ(text("/", "plan"), run.header.plan.dump());
  EXPECT_EQ(text("/", "summary"), run.summary->dump());
  EXPECT_EQ(text("/", "creation"), run.header.creation.dump());
  EXPECT_EQ(text("/", "trammel_version"), "0.1.0");
  int format = 0;
  const hid_t attribute = H5Aopen(file(), "format", H5P_DEFAULT);
  H5Aread(attribute, H5T_NATIVE_INT, &format);
  H5Aclose(attribute);
  EXPECT_EQ(format, 1);
}

TEST_F(ResultsHdf5Test, LayoutIsTheDocumentedOne) {
  write_hdf5(path(), sample_run());
  open();
  EXPECT_EQ(extent("/time"), (Extent{3}));
  EXPECT_EQ(text("/time", "unit"), "s");
  EXPECT_EQ(extent("/bodies/front, left/position"), (Extent{3, 2}));
  EXPECT_EQ(text("/bodies/front, left/position", "unit"), "m");
  EXPECT_EQ(texts("/bodies/front, left/position", "components"), (Texts{"x", "y"}));
  EXPECT_EQ(texts("/bodies/%2E/pose", "unit"), (Texts{"m", "rad"}));
  EXPECT_EQ(extent("/joints/the \"knee\"/force"), (Extent{3, 1}));
  EXPECT_EQ(extent("/energy/kinetic"), (Extent{3}));
  EXPECT_EQ(text("/solver/iterations", "unit"), "");
}

// The errors of the sample run: a force that is missing has none, counts have none at all.
Trajectory sample_errors() {
  Trajectory errors;
  errors.channels = error_channels(sample_run().header.channels);
  errors.values = {
      0.0,   5e-324,  -0.0, 1e-9, 1e-300, kMissing, 0.1, 0.2,      3e-7, kMissing,  //
      0.001, 1.0 / 3, 1e22, 2e-9, 0.5,    1e-3,     0.3, kMissing, 4e-7, kMissing,  //
      0.002, 0.25,    0.75, 3e-9, 1e300,  kMissing, 0.5, 0.6,      5e-7, kMissing,
  };
  return errors;
}

TEST_F(ResultsHdf5Test, HasTheErrorBesideEachDataset) {
  LogContents run = sample_run();
  run.errors = sample_errors();
  write_hdf5(path(), run);
  open();
  for (const char* dataset : {"/bodies/front, left/position", "/bodies/a%2Fb/position", "/bodies/%2E/pose",
                              "/joints/the \"knee\"/force", "/energy/kinetic"}) {
    const std::string beside = std::string(dataset) + ".error";
    ASSERT_TRUE(exists(beside)) << beside;
    EXPECT_EQ(extent(beside.c_str()), extent(dataset));
    EXPECT_EQ(texts(beside.c_str(), "unit"), texts(dataset, "unit"));
  }
  for (const char* dataset :
       {"/bodies/front, left/position", "/bodies/%2E/pose", "/joints/the \"knee\"/force"})
    EXPECT_EQ(texts((std::string(dataset) + ".error").c_str(), "components"), texts(dataset, "components"));
  EXPECT_EQ(bits(values("/bodies/front, left/position.error")),
            bits(std::vector{5e-324, -0.0, 1.0 / 3, 1e22, 0.25, 0.75}));
  EXPECT_EQ(bits(values("/joints/the \"knee\"/force.error")), bits(std::vector{kMissing, 1e-3, kMissing}));
  EXPECT_EQ(bits(values("/bodies/%2E/pose.error")), bits(std::vector{0.1, 0.2, 0.3, kMissing, 0.5, 0.6}));
  EXPECT_FALSE(exists("/time.error"));
  EXPECT_FALSE(exists("/solver/iterations.error"));
  // The values are those that they would be without errors.
  EXPECT_EQ(bits(read_hdf5(path()).values), bits(run.trajectory.values));
}

TEST_F(ResultsHdf5Test, ErrorsReadBackToTheBit) {
  LogContents run = sample_run();
  run.errors = sample_errors();
  write_hdf5(path(), run);
  const Trajectory read = read_hdf5_errors(path());
  EXPECT_EQ(read.channels, run.trajectory.channels);
  ASSERT_EQ(read.rows(), run.trajectory.rows());
  for (std::size_t i = 0; i < read.rows(); ++i) {
    EXPECT_TRUE(std::isnan(read.row(i)[0]));  // times do not err
    EXPECT_EQ(bits(read.row(i).subspan(1)), bits(run.errors.row(i).subspan(1)));
  }
}

TEST_F(ResultsHdf5Test, WhereNoErrorIsKnownThereIsNoDatasetOfErrors) {
  LogContents run = sample_run();
  run.errors = sample_errors();
  for (std::size_t i = 0; i < run.errors.values.size(); ++i)
    if (i % run.errors.channels.size() != 0) run.errors.values[i] = kMissing;
  write_hdf5(folder() / "unknown.h5", run);
  write_hdf5(path(), sample_run());
  // Byte for byte as if no second run had been made.
  EXPECT_EQ(read_bytes(folder() / "unknown.h5"), read_bytes(path()));
  open();
  for (const char* dataset : {"/bodies/front, left/position", "/energy/kinetic", "/time"})
    EXPECT_FALSE(exists(std::string(dataset) + ".error"));
  const Trajectory read = read_hdf5_errors(path());
  EXPECT_EQ(read.rows(), 3U);
  EXPECT_TRUE(std::ranges::all_of(read.values, [](double x) { return std::isnan(x); }));
}

TEST_F(ResultsHdf5Test, SlashesInNamesDoNotCollide) {
  write_hdf5(path(), sample_run());
  open();
  EXPECT_EQ(extent("/bodies/a%2Fb/position"), (Extent{3, 1}));    // the body "a/b"
  EXPECT_EQ(extent("/bodies/a%252Fb/position"), (Extent{3, 1}));  // the body "a%2Fb"
}

TEST_F(ResultsHdf5Test, OddNamesReadBack) {
  LogContents run = sample_run();
  const std::vector<std::string> names = {
      "", "/", "//", "%", "..", " ", "./a", "a/", "/a", "é", std::string("a\0b", 3), "a"};
  run.trajectory.channels.resize(1);
  run.trajectory.values = {0.0};
  for (const std::string& name : names) {
    run.trajectory.channels.push_back({.group = "bodies/" + name,
                                       .dataset = "mass",
                                       .component = "",
                                       .unit = "kg",
                                       .name = name + ".mass"});
    run.trajectory.values.push_back(static_cast<double>(run.trajectory.values.size()));
  }
  write_hdf5(path(), run);
  const Trajectory read = read_hdf5(path());
  EXPECT_EQ(read.channels, run.trajectory.channels);
  EXPECT_EQ(read.values, run.trajectory.values);
}

TEST_F(ResultsHdf5Test, RunWithoutRowsOrSummary) {
  LogContents run = sample_run();
  run.trajectory.values.clear();
  run.summary.reset();
  write_hdf5(path(), run);
  const Trajectory read = read_hdf5(path());
  EXPECT_EQ(read.channels, run.trajectory.channels);
  EXPECT_EQ(read.rows(), 0U);
  open();
  EXPECT_EQ(extent("/bodies/front, left/position"), (Extent{0, 2}));
  EXPECT_EQ(H5Aexists(file(), "summary"), 0);
}

TEST_F(ResultsHdf5Test, WhatTheRunWasReadsBackWithoutItsRows) {
  const LogContents run = sample_run();
  write_hdf5(path(), run);
  const LogHeader header = read_hdf5_header(path());
  EXPECT_EQ(header.model, run.header.model);
  EXPECT_EQ(header.plan, run.header.plan);
  EXPECT_EQ(header.channels, run.header.channels);
  EXPECT_EQ(header.version, run.header.version);
  EXPECT_EQ(header.creation, run.header.creation);
}

TEST_F(ResultsHdf5Test, LongTextFits) {
  LogContents run = sample_run();
  run.header.model.assign(3'000'000, 'x');
  write_hdf5(path(), run);
  open();
  EXPECT_EQ(text("/", "model"), run.header.model);
}

TEST_F(ResultsHdf5Test, SameContentsGiveTheSameBytes) {
  write_hdf5(folder() / "a.h5", sample_run());
  write_hdf5(folder() / "b.h5", sample_run());
  EXPECT_EQ(read_bytes(folder() / "a.h5"), read_bytes(folder() / "b.h5"));
}

TEST_F(ResultsHdf5Test, LogBecomesHdf5) {
  const LogContents run = sample_run();
  {
    ResultsLog log(folder() / "results.log", run.header);
    for (std::size_t i = 0; i < 3; ++i) log.write(run.trajectory.row(i));
    log.finish(*run.summary);
  }
  write_hdf5(folder() / "a.h5", read_log(folder() / "results.log"));
  write_hdf5(folder() / "b.h5", run);
  EXPECT_EQ(read_bytes(folder() / "a.h5"), read_bytes(folder() / "b.h5"));
}

TEST_F(ResultsHdf5Test, FailureLeavesTheFormerFileAndNoOther) {
  write_bytes(path(), "before");
  LogContents run = sample_run();
  for (int i = 0; i < 1000; ++i) {
    for (std::size_t c = 0; c < 10; ++c) run.trajectory.values.push_back(1.0);
  }
  for (const rlim_t bytes : {0U, 1000U, 80000U}) {
    const FileSizeLimit limit(bytes);
    EXPECT_EQ(message_of<std::runtime_error>([&] { write_hdf5(path(), run); }),
              "cannot write '" + path().string() + "': File too large");
    EXPECT_EQ(read_bytes(path()), "before");
    EXPECT_EQ(files(), Texts{"results.h5"});
  }
  write_hdf5(path(), run);
  EXPECT_EQ(read_hdf5(path()).rows(), 1003U);
}

TEST_F(ResultsHdf5Test, RefusesWhatIsNotAResult) {
  LogContents run = sample_run();
  run.trajectory.values[1] = kMissing;
  EXPECT_EQ(message_of<std::logic_error>([&] { write_hdf5(path(), run); }),
            "the value nan of 'front, left.x' at t = 0 is not a result");
  EXPECT_EQ(files(), Texts{});
}

TEST_F(ResultsHdf5Test, SaysWhyAFileCannotBeWrittenOrRead) {
  testing::internal::CaptureStderr();
  const std::filesystem::path missing = folder() / "missing" / "results.h5";
  EXPECT_EQ(message_of<std::runtime_error>([&] { write_hdf5(missing, sample_run()); }),
            "cannot write '" + missing.string() + "': No such file or directory");
  EXPECT_EQ(message_of<std::runtime_error>([&] { read_hdf5(missing); }),
            "cannot read '" + missing.string() + "': No such file or directory");
  write_bytes(path(), "not HDF5");
  EXPECT_EQ(message_of<std::runtime_error>([&] { read_hdf5(path()); }),
            "cannot read '" + path().string() + "': file signature not found");
  H5Fclose(H5Fcreate(path().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  EXPECT_EQ(message_of<std::runtime_error>([&] { read_hdf5(path()); }),
            "cannot read '" + path().string() + "': it is not a Trammel results file");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace trammel::results::results_hdf5_test
