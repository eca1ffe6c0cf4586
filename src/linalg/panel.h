// A panel: `width` neighbouring columns of a Cholesky factor that share one list of rows, stored column by
// column as a dense rows × width block. Its first `width` rows are the diagonal block.
//
//   A = L D Lᵀ,  L unit lower:   w_j = a_j − Σ_{c<j} l_jc w_c,   d_j = w_jj,   l_j = w_j / d_j
//
// Root-free and left-looking: column j is divided by d_j not at once but row by row, when a row is
// needed as the coefficients l_jc of a later column; row j of the columns c < j is not read again. So the
// division costs no pass of its own.
#pragma once

#include <limits>

namespace trammel {

// y −= Σ_c coefficient[c] · column c, over `count` rows; column c starts at columns + c·stride.
inline void subtract_columns(double* y, int count, const double* columns, int stride, int width,
                             const double* coefficient) {
  int k = 0;
  // Four rows at a time stay in registers while the columns pass by.
  for (; k + 4 <= count; k += 4) {
    double y0 = y[k], y1 = y[k + 1], y2 = y[k + 2], y3 = y[k + 3];
    const double* p = columns + k;
    for (int c = 0; c < width; ++c, p += stride) {
      const double l = coefficient[c];
      y0 -= l * p[0];
      y1 -= l * p[1];
      y2 -= l * p[2];
      y3 -= l * p[3];
    }
    y[k] = y0, y[k + 1] = y1, y[k + 2] = y2, y[k + 3] = y3;
  }
  for (; k < count; ++k) {
    double sum = y[k];
    for (int c = 0; c < width; ++c) sum -= coefficient[c] * columns[k + c * stride];
    y[k] = sum;
  }
}

// The share of row i in a column of the factor: y −= Σ_c l_ic w_c over rows i, i + 1, … of the first `width`
// columns. Afterwards row i holds l_ic in place of w_ic.
inline void subtract_row_share(double* y, double* panel, int rows, int width, int i, const double* inverse_d,
                               double* l) {
  double* row = panel + i;
  for (int c = 0; c < width; ++c) l[c] = row[c * rows] * inverse_d[c];
  subtract_columns(y, rows - i, row, rows, width, l);
  for (int c = 0; c < width; ++c) row[c * rows] = l[c];
}

// Factors the diagonal block; the rows below it keep w. False when a pivot is not above its threshold or
// not finite. `l` is room for `width` numbers.
inline bool factor_panel(double* panel, int rows, int width, const double* threshold, double* inverse_d,
                         double* l) {
  for (int j = 0; j < width; ++j) {
    double* column = panel + j * rows + j;
    subtract_row_share(column, panel, rows, j, j, inverse_d, l);
    const double d = *column;
    if (!(d > threshold[j] && d <= std::numeric_limits<double>::max())) return false;
    inverse_d[j] = 1.0 / d;
  }
  return true;
}

}  // namespace trammel
