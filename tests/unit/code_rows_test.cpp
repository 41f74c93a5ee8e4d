// The matrix R: every window of it can be inverted, and well.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/code/rows.hpp"
#include "tests/unit/extended_precision.hpp"

namespace cerar::code {
namespace {

double worst_condition(const Matrix& rows, int step = 1) {
  const auto ranks = rows.rows(), shared = rows.cols();
  double worst = 0;
  for (Eigen::Index first = 0; first < ranks; first += step) {
    Matrix window(shared, shared);
    for (Eigen::Index k = 0; k < shared; ++k) window.row(k) = rows.row((first + k) % ranks);
    const Real condition = spectral_norm(window) * spectral_norm(inverse(window));
    worst = std::max(worst, static_cast<double>(condition));
  }
  return worst;
}

TEST(IndependentRows, IsTheTiledIdentityWhereThatFits) {
  for (int ranks : {2, 6, 12, 64}) {
    for (int shared = 1; shared <= ranks; ++shared) {
      if (ranks % shared != 0) continue;
      const Matrix rows = independent_rows(ranks, shared);
      for (int p = 0; p < ranks; ++p) {
        for (int k = 0; k < shared; ++k) EXPECT_EQ(rows(p, k), p % shared == k ? 1 : 0);
      }
    }
  }
}

TEST(IndependentRows, EveryWindowUpTo16RanksIsWellConditioned) {
  for (int ranks = 2; ranks <= 16; ++ranks) {
    for (int shared = 1; shared <= ranks; ++shared) {
      EXPECT_LE(worst_condition(independent_rows(ranks, shared)), 2.0 * ranks)
          << "N = " << ranks << ", s = " << shared;
    }
  }
}

TEST(IndependentRows, WindowsOf64RanksAreWellConditioned) {
  // Lanczos steps, by which norms of large matrices are found, end where a long double's digits do.
  if (!test::extended_precision()) GTEST_SKIP() << "long double is no more precise than double";
  for (int shared : {7, 23, 40, 43, 63}) {
    EXPECT_LE(worst_condition(independent_rows(64, shared), 9), 128) << "s = " << shared;
  }
}

TEST(SpectralNorm, IsThatOfMatricesThatAreKnown) {
  for (int size : {1, 2, 5, 24, 25, 60}) {
    Matrix diagonal = Matrix::Zero(size, size);
    for (int k = 0; k < size; ++k) diagonal(k, (k + 1) % size) = k + 0.5L;
    EXPECT_NEAR(static_cast<double>(spectral_norm(diagonal)), size - 0.5, 1e-6) << size;
    EXPECT_NEAR(static_cast<double>(spectral_norm(Matrix::Ones(size, size))), size, 1e-6) << size;
  }
  EXPECT_EQ(spectral_norm(Matrix::Zero(3, 3)), 0);
}

TEST(Inverse, BearsColumnsOfAnyScale) {
  Matrix m(3, 3);
  m << 1, -1e-20L, 1e-40L, 1, 0, 0, 1, 1e-20L, 1e-40L;
  const Matrix product = inverse(m) * m;
  EXPECT_LT(static_cast<double>(product.col(0).tail(2).norm() * 1e-40L), 1e-15);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(static_cast<double>(product(k, k)), 1, 1e-15);
}

}  // namespace
}  // namespace cerar::code
