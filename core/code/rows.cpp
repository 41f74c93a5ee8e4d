#include "core/code/rows.hpp"

namespace cerar::code {
namespace {

// Fills `block` as Euclid's algorithm goes: as many identities as fit, one below the other if the
// block is tall, side by side if it is wide, and the same again for what is left in the corner. Any
// window of rows that wraps around can be reduced, by subtracting identities from each other, to
// one of the smaller block: so all are invertible.
void fill(Eigen::Ref<Matrix, 0, Eigen::OuterStride<>> block) {
  const Eigen::Index rows = block.rows(), cols = block.cols();
  if (rows == 0 || cols == 0) return;
  if (rows >= cols) {
    const Eigen::Index filled = rows / cols * cols;
    for (Eigen::Index p = 0; p < filled; ++p) block(p, p % cols) = 1;
    fill(block.bottomRows(rows - filled));
  } else {
    const Eigen::Index filled = cols / rows * rows;
    for (Eigen::Index k = 0; k < filled; ++k) block(k % rows, k) = 1;
    fill(block.rightCols(cols - filled));
  }
}

}  // namespace

Matrix independent_rows(int ranks, int shared) {
  Matrix rows = Matrix::Zero(ranks, shared);
  fill(rows);
  return rows;
}

}  // namespace cerar::code
