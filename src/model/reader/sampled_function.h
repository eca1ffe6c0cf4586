// SampledFunction: a function of one variable from two columns of a CSV file, as a measured motion is, and a
// low-pass filter for it.
//
// The filter is Butterworth's of second order, once forwards and once backwards, so that nothing lags:
//
//   |y/x| = 1/(1 + (tan(πf/f_s)/Ω)⁴),   Ω = tan(πf_c/f_s)/(√2 − 1)^¼
//
// which is 1/√2 at the cut-off frequency f_c; f_s is the sampling rate. Winter, Biomechanics and Motor
// Control of Human Movement (2009), 3.4.4. Beyond both ends the samples go on turned about the end, as x →
// 2x₀ − x.
#pragma once

#include <string>
#include <variant>
#include <vector>

namespace trammel::model {

struct Samples {
  std::vector<double> x, y;
};
struct SamplesError {
  std::string message, remedy;
};

// Two columns by their names in the first line, or by their numbers from 1. Numbers are parted by commas,
// semicolons, tabs or blanks; lines that begin with # are left out.
std::variant<Samples, SamplesError> read_samples(const std::string& path, const std::string& x,
                                                 const std::string& y);
std::variant<Samples, SamplesError> parse_samples(const std::string& text, const std::string& x,
                                                  const std::string& y);

// What forbids the filter; empty: nothing. x must be evenly spaced, and f_c below half of the sampling rate.
std::string why_no_filter(const Samples& samples, double cut_off);
void filter(Samples& samples, double cut_off);  // Hz, or 1 per unit of x

}  // namespace trammel::model
