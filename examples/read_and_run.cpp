// Reads a model file, runs it and writes its results.
//
//   read_and_run MODEL.yaml RESULTS.h5
#include <trammel/model.h>
#include <trammel/results.h>
#include <trammel/run.h>

#include <cstdio>
#include <exception>

int main(int argc, char** argv) try {
  if (argc < 3) return std::fprintf(stderr, "usage: read_and_run MODEL.yaml RESULTS.h5\n"), 2;

  // All errors of the file at once, each with its line and column.
  const trammel::ModelInput model = trammel::read_model(argv[1]);
  for (const trammel::InputError& error : model.errors)
    std::fprintf(stderr, "%s\n", trammel::to_string(error).c_str());
  if (!model) return 2;

  trammel::Simulation simulation(model.mechanism, model.mechanism.plan);
  const trammel::RunResult result = trammel::run(simulation);
  if (result.summary.status == trammel::RunStatus::failed)
    return std::fprintf(stderr, "%s\n", result.summary.message.c_str()), 3;

  // The columns are those of results.h5; print the last row of the first few.
  const trammel::Trajectory& trajectory = result.trajectory;
  const std::size_t last = trajectory.rows() - 1;
  for (std::size_t c = 0; c < 5 && c < trajectory.channels.size(); ++c)
    std::printf("%s = %.17g %s\n", trajectory.channels[c].name.c_str(), trajectory.row(last)[c],
                trajectory.channels[c].unit.c_str());
  std::printf("rows = %zu\n", trajectory.rows());
  std::printf("energy drift = %.3g J\n", result.summary.energy_drift);

  trammel::write_hdf5(argv[2], simulation, result);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
