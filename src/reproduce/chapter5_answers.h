// The answers to the problems of García de Jalón & Bayo (1994), chapter 5, derived by hand: each a
// differential equation in independent coordinates, integrated by Runge–Kutta steps so small that nothing is
// left of their error. No code of the library is used.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace trammel::reproduce {

struct Answer {
  std::string model;                  // a file of models/chapter-5
  std::vector<std::string> observed;  // expressions of the model
  double until = 0;                   // s
  int rows = 0;                       // equal intervals of time that are compared
  // What is observed at those times, row by row.
  std::function<std::vector<std::vector<double>>(double until, int rows)> exact;
};

Answer slider_crank();        // 5/1, 5/2, 5/3, 5/5, in the crank's angle
Answer slider_crank_in_x2();  // 5/2 b: z1 = x2, equation (5.67)
Answer equal_links();         // 5/2: through the singular position
Answer driven_pivot();        // 5/4 b
Answer four_bar();            // 5/6
Answer open_slider_crank();   // 5/7
Answer coin();                // 5/8
Answer satellite();           // 5/9
Answer held_upright();        // 5/10

}  // namespace trammel::reproduce
