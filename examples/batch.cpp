// A batch: one mechanism with many values of its parameters, on all processors. A mass on a spring is
// released 0.1 m away from the free length; where is it after one second?
#include <trammel/batch.h>
#include <trammel/model.h>
#include <trammel/thread_pool.h>

#include <cstdio>
#include <exception>

namespace {

const char* kModel = R"(
trammel: 1
name: oscillator
plane: xy
parameters: {k: 100 N/m, m: 1 kg}
bodies: {mass: {mass: m, inertia: 1}}
joints: {slide: {prismatic: [mass, ground], axis: [1, 0]}}
forces: {spring: {joint-spring: slide, stiffness: k}}
initial: {slide: {displacement: 0.1 m}}
simulate: {duration: 1 s, tolerance: 1e-10}
outputs: {interval: 10 ms}
)";

}  // namespace

int main() try {
  const trammel::Mechanism mechanism = trammel::read_model_text(kModel, "oscillator").value();
  // One row for each run. A mass cannot be negative: the last run fails, and says why.
  const trammel::ParameterTable table{{"k", "m"}, {50, 1, 100, 1, 100, 2, 400, 2, 400, -1}};
  const trammel::Batch batch(mechanism, table, {"slide.displacement"});
  trammel::ThreadPool threads(2);
  const trammel::BatchResult result = batch.run(&threads);  // to the same bits on any number of threads

  for (std::size_t run = 0; run < result.runs.size(); ++run) {
    const double* values = &table.values[2 * run];
    if (result.runs[run].status == trammel::RunStatus::ok)
      std::printf("k = %g m = %g x = %.10f\n", values[0], values[1],
                  result.column("slide.displacement", run).back());
    else
      std::printf("run %zu: %s\n", run, result.runs[run].message.c_str());
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
