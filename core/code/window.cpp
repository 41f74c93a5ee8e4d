#include "core/code/window.hpp"

namespace cerar::code {

Matrix lagged(const Sequence& sequence, int first, int visits, int lag) {
  Matrix rows(visits, sequence.value.cols());
  for (int m = 0; m < visits; ++m) {
    rows.row(m) = sequence.value.row(first + m * sequence.ranks - lag);
  }
  return rows;
}

Window make_window(const Sequence& sequence, int first, int visits) {
  Window window;
  window.mean = Matrix::Zero(visits, sequence.value.cols());
  for (int lag = 0; lag < sequence.ranks; ++lag) {
    window.mean += lagged(sequence, first, visits, lag);
  }
  window.mean /= static_cast<Real>(sequence.ranks);
  window.newest = lagged(sequence, first, visits, 0);
  window.decode = inverse(window.mean.leftCols(visits));
  return window;
}

}  // namespace cerar::code
