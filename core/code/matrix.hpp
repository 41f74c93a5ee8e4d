// Dense matrices in extended precision, and the few operations on them that the constructions need.
#pragma once

#include <Eigen/Core>

#include "core/cerar.h"

namespace cerar::code {

// x87 extended precision on x86-64: 64 bits of significand, which bear what is asked of them
// because matrices are scaled by columns before they are inverted: the powers of ε in them then
// cost no digits.
using Real = long double;
using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
using RowVector = Eigen::Matrix<Real, 1, Eigen::Dynamic>;

// The value of `type` nearest to x.
Real round_to(cerar_type_t type, Real x);
// 2^−24 for float, 2^−53 for double.
Real unit_roundoff(cerar_type_t type);
// Largest and smallest normal value of `type`.
Real largest(cerar_type_t type);
Real smallest(cerar_type_t type);

// The inverse of a square matrix. Its columns may differ in scale by any factor: each is scaled to
// about 1 first. Entries that are not finite come out if the matrix is singular.
Matrix inverse(const Matrix& m);

// The largest singular value. For the condition number of W take spectral_norm(W)·spectral_norm(M):
// neither factor loses digits, as the smallest singular value would.
Real spectral_norm(const Matrix& m);

}  // namespace cerar::code
