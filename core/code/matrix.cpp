#include "core/code/matrix.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>

namespace cerar::code {
namespace {

// Up to here the Gram matrix is treated outright; above, Lanczos steps reduce it first.
constexpr Eigen::Index kDirectLimit = 24;
constexpr Eigen::Index kLanczosSteps = 40;

// Largest eigenvalue of a positive semidefinite matrix by repeated squaring: with t = 2^k the t-th
// root of the norm of A^t is too large by a factor of at most n^(1/t), whatever the gap to the next
// eigenvalue.
Real largest_eigenvalue(Matrix a) {
  constexpr int kSquarings = 30;
  Real log_value = 0, root = 1;
  for (int k = 0; k <= kSquarings; ++k) {
    const Real norm = a.norm();
    if (norm == 0) return 0;
    log_value += root * std::log(norm);
    a /= norm;
    a = (a * a).eval();
    root /= 2;
  }
  return std::exp(log_value);
}

// AᵀA on a Krylov space, kept orthogonal in full: its largest eigenvalue is right to many digits
// long before the space is complete, however close the largest ones lie.
Matrix lanczos_gram(const Matrix& a) {
  const Eigen::Index n = a.cols();
  const Eigen::Index steps = std::min(kLanczosSteps, n);
  Matrix basis(steps, n);
  Matrix gram = Matrix::Zero(steps, steps);
  Vector v(n);
  // Any start vector without symmetry does; a fixed one keeps results the same everywhere.
  for (Eigen::Index k = 0; k < n; ++k) v[k] = 1 + std::sin(static_cast<Real>(k * k + 1));
  v /= v.norm();
  for (Eigen::Index k = 0; k < steps; ++k) {
    basis.row(k) = v.transpose();
    Vector w = a.transpose() * (a * v);
    gram(k, k) = v.dot(w);
    for (int twice = 0; twice < 2; ++twice) {
      w -= basis.topRows(k + 1).transpose() * (basis.topRows(k + 1) * w);
    }
    const Real rest = w.norm();
    if (k + 1 == steps || !(rest > 16 * LDBL_EPSILON * gram(0, 0))) break;
    gram(k, k + 1) = gram(k + 1, k) = rest;
    v = w / rest;
  }
  return gram;
}

}  // namespace

Real round_to(cerar_type_t type, Real x) {
  return type == CERAR_FLOAT ? static_cast<Real>(static_cast<float>(x))
                             : static_cast<Real>(static_cast<double>(x));
}

Real unit_roundoff(cerar_type_t type) {
  return (type == CERAR_FLOAT ? static_cast<Real>(FLT_EPSILON) : static_cast<Real>(DBL_EPSILON)) /
         2;
}

Real largest(cerar_type_t type) {
  return type == CERAR_FLOAT ? static_cast<Real>(FLT_MAX) : static_cast<Real>(DBL_MAX);
}

Real smallest(cerar_type_t type) {
  return type == CERAR_FLOAT ? static_cast<Real>(FLT_MIN) : static_cast<Real>(DBL_MIN);
}

Matrix inverse(const Matrix& m) {
  if (m.size() == 0) return m;
  Vector scale(m.cols());
  for (Eigen::Index k = 0; k < m.cols(); ++k) scale[k] = 1 / m.col(k).lpNorm<Eigen::Infinity>();
  const Matrix scaled = m * scale.asDiagonal();
  return scale.asDiagonal() * Matrix(Eigen::PartialPivLU<Matrix>(scaled).inverse());
}

Real spectral_norm(const Matrix& m) {
  const Real scale = m.lpNorm<Eigen::Infinity>();
  if (!std::isfinite(scale)) return std::numeric_limits<Real>::infinity();
  if (scale == 0) return 0;
  const Matrix a = m / scale;
  const Matrix gram = a.cols() > kDirectLimit ? lanczos_gram(a) : Matrix(a.transpose() * a);
  return scale * std::sqrt(largest_eigenvalue(gram));
}

}  // namespace cerar::code
