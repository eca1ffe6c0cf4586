// Steps a second of a generated kernel on a GPU, and whether the CPU's kernel gives the same motion.
//
//   nvcc -O3 -arch=native -DKERNEL='"model.cu"' throughput.cu -o throughput
//   g++ -O3 -march=native -fno-math-errno -ffp-contract=off -shared -fPIC model.cpp -o model.so
//   throughput STEP STEPS INSTANCES model.so
//
// Instances differ in their initial speeds, by up to a thousandth. Prints one line of JSON.
#include KERNEL

#include <dlfcn.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

void must(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(3);
}

std::vector<double> start_of(long instance, long count) {
  std::vector<double> state(trammel_kernel::kDoubles);
  trammel_start(state.data());
  for (int k = 0; k < trammel_kernel::kCoordinates; ++k)
    state[1 + trammel_kernel::kCoordinates + k] *= 1 + 1e-3 * double(instance) / double(count);
  return state;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) return std::fprintf(stderr, "usage: throughput STEP STEPS INSTANCES model.so\n"), 2;
  const double h = std::atof(argv[1]);
  const long steps = std::atol(argv[2]), count = std::atol(argv[3]), doubles = trammel_kernel::kDoubles;
  std::vector<double> states(count * doubles);
  for (long i = 0; i < count; ++i) {
    const std::vector<double> one = start_of(i, count);
    for (long k = 0; k < doubles; ++k) states[k * count + i] = one[k];
  }
  // Instances differ in their speeds alone: all have the constants of the model.
  const long each = trammel_kernel::kConstants;
  std::vector<double> of_model(each + 1), all(each * count);
  trammel_constants(of_model.data());
  for (long i = 0; i < count; ++i)
    for (long k = 0; k < each; ++k) all[k * count + i] = of_model[k];
  double *device, *constants;
  int* status;
  must(cudaMalloc(&constants, (all.size() + 1) * sizeof(double)));
  must(cudaMemcpy(constants, all.data(), all.size() * sizeof(double), cudaMemcpyHostToDevice));
  must(cudaMalloc(&device, states.size() * sizeof(double)));
  must(cudaMalloc(&status, count * sizeof(int)));
  const int threads = 128;
  const long blocks = (count + threads - 1) / threads;
  double best = 1e30;
  for (int repeat = 0; repeat < 4; ++repeat) {
    must(cudaMemcpy(device, states.data(), states.size() * sizeof(double), cudaMemcpyHostToDevice));
    cudaEvent_t from, to;
    must(cudaEventCreate(&from));
    must(cudaEventCreate(&to));
    must(cudaEventRecord(from));
    trammel_advance<<<blocks, threads>>>(device, constants, count, h, steps, status);
    must(cudaEventRecord(to));
    must(cudaEventSynchronize(to));
    float milliseconds;
    must(cudaEventElapsedTime(&milliseconds, from, to));
    if (repeat > 0) best = std::fmin(best, milliseconds / 1e3);
  }
  std::vector<double> after(states.size());
  std::vector<int> outcome(count);
  must(cudaMemcpy(after.data(), device, after.size() * sizeof(double), cudaMemcpyDeviceToHost));
  must(cudaMemcpy(outcome.data(), status, count * sizeof(int), cudaMemcpyDeviceToHost));
  long by_status[3] = {};
  for (const int one : outcome) ++by_status[one];

  // The first 64 instances on the processor.
  void* library = dlopen(argv[4], RTLD_NOW);
  if (!library) return std::fprintf(stderr, "%s\n", dlerror()), 3;
  const auto advance = (void (*)(double*, const double*, long, double, long, int*))dlsym(library, "trammel_advance");
  const long few = count < 64 ? count : 64;
  std::vector<double> cpu, cpu_constants;
  for (long i = 0; i < few; ++i) {
    const std::vector<double> one = start_of(i, count);
    cpu.insert(cpu.end(), one.begin(), one.end());
    cpu_constants.insert(cpu_constants.end(), of_model.begin(), of_model.begin() + each);
  }
  std::vector<int> cpu_status(few);
  advance(cpu.data(), cpu_constants.data(), few, h, steps, cpu_status.data());
  double difference = 0;
  for (long i = 0; i < few; ++i)
    for (int k = 1; k <= trammel_kernel::kCoordinates; ++k)
      difference = std::fmax(difference, std::fabs(cpu[i * doubles + k] - after[k * count + i]));

  // One core of the processor, all lanes.
  const auto begin = std::chrono::steady_clock::now();
  advance(cpu.data(), cpu_constants.data(), few, h, steps, cpu_status.data());
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::printf("{\"instances\": %ld, \"steps\": %ld, \"seconds\": %.6g, \"steps_per_second\": %.4g, \"closed\": %ld, \"weak\": %ld, \"failed\": %ld, "
              "\"difference_from_cpu\": %.3g, \"cpu_core_steps_per_second\": %.4g}\n",
              count, steps, best, double(count) * double(steps) / best, by_status[0], by_status[1], by_status[2], difference,
              double(few) * double(steps) / seconds);
  return 0;
}
