#include "core/code/shared.hpp"

#include "core/code/rows.hpp"

namespace cerar::code {
namespace {

// A class's own components from its visits and the shared components: ŵ·(y − v·R_p·ẑ), v the last
// column of the mean, and ẑ what the visits at the positions below s tell.
void add_short_class(const SharedCode& code, int position, Matrix& decode) {
  const int ranks = code.ranks(), order = code.order(), p = code.class_at(position);
  const Window& window = code.windows[position];
  const RowVector mix = code.rows.row(p) * code.unmix;
  const Vector weight = window.decode * window.mean.col(order);
  for (int r = 0; r < order; ++r) {
    const int lane = p + r * ranks;
    for (int m = 0; m < order; ++m) decode(lane, m * ranks + position) = window.decode(r, m);
    for (int j = 0; j < code.shared; ++j) {
      for (int m = 0; m <= order; ++m) {
        decode(lane, m * ranks + j) = -weight[r] * mix[j] * code.windows[j].decode(order, m);
      }
    }
  }
}

void add_full_class(const SharedCode& code, int position, Matrix& decode) {
  const int ranks = code.ranks(), order = code.order(), p = code.class_at(position);
  const Window& window = code.windows[position];
  for (int m = 0; m <= order; ++m) {
    const int visit = m * ranks + position;
    for (int r = 0; r < order; ++r) decode(p + r * ranks, visit) = window.decode(r, m);
    for (int k = 0; k < code.shared; ++k) {
      decode(order * ranks + k, visit) = code.unmix(k, position) * window.decode(order, m);
    }
  }
}

}  // namespace

SharedCode make_shared_code(const Sequence& sequence, int components, int rank) {
  const int ranks = sequence.ranks, order = sequence.order();
  SharedCode code;
  code.rank = rank;
  code.shared = components - order * ranks;
  code.rows = independent_rows(ranks, code.shared);
  code.windows.reserve(ranks);
  for (int j = 0; j < ranks; ++j) {
    code.windows.push_back(make_window(sequence, ranks - 1 + j, order + (j < code.shared)));
  }
  Matrix mixed(code.shared, code.shared);
  for (int j = 0; j < code.shared; ++j) mixed.row(j) = code.rows.row(code.class_at(j));
  code.unmix = inverse(mixed);
  return code;
}

Matrix assemble(const SharedCode& code, const std::vector<Matrix>& coefficients) {
  const int ranks = code.ranks(), order = code.order();
  Matrix all = Matrix::Zero(code.components(), code.components());
  for (int j = 0; j < ranks; ++j) {
    const int p = code.class_at(j);
    for (int m = 0; m < code.windows[j].visits(); ++m) {
      const int visit = m * ranks + j;
      for (int r = 0; r < order; ++r) all(visit, p + r * ranks) = coefficients[j](m, r);
      all.row(visit).tail(code.shared) = coefficients[j](m, order) * code.rows.row(p);
    }
  }
  return all;
}

Matrix assemble_decode(const SharedCode& code) {
  Matrix decode = Matrix::Zero(code.components(), code.components());
  for (int j = 0; j < code.ranks(); ++j) {
    if (j < code.shared) {
      add_full_class(code, j, decode);
    } else {
      add_short_class(code, j, decode);
    }
  }
  return decode;
}

}  // namespace cerar::code
