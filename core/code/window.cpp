#include "core/code/window.hpp"

namespace cerar::code {

Matrix lagged(const Sequence& sequence, int first, int visits, int lag) {
  Matrix rows(visits, sequence.value.cols());
  for (int m = 0; m < visits; ++m) {
    rows.row(m) = sequence.value.row(first + m * sequence.stride - lag);
  }
  return rows;
}

Window make_window(const Sequence& sequence, int first, int visits) {
  const int ranks = sequence.ranks;
  Window window;
  window.mean = Matrix(visits, sequence.value.cols());
  for (int m = 0; m < visits; ++m) {
    window.mean.row(m) =
        sequence.value.middleRows(first + m * sequence.stride - ranks + 1, ranks).colwise().mean();
  }
  window.newest = lagged(sequence, first, visits, 0);
  window.decode = inverse(window.mean.leftCols(visits));
  return window;
}

}  // namespace cerar::code
