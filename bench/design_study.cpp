// How much more accurate than evenly spaced nodes can a code be whose decode matrices are as well
// conditioned? For N ranks, order q (c = (q+1)·N components) and a greatest condition κ:
//
//   design_study N Q KAPPA
//
// The coefficients of the packets are a table of (q+2)·N − 1 hops × (q+1); a rank decodes with the
// inverses of its windows' means (docs/theory.md, Decoding). Minimised is the approximation error,
// equation (2) there, own contribution exact, subject to cond(W) ≤ κ at each of the N offsets. Each
// line has more freedom than the one before; its gain is the error of the even design over its own:
//
//   even      powers of evenly spaced nodes, one spacing
//   scales    each power with a scale of its own
//   nodes     besides, a node at each hop by itself: also uneven, and the first and last revolution
//   spectrum  any linear recurrence of that order (other eigenvalues, pairs too), in any basis
//   table     the whole table, from the best of the others
//
// Deterministic: NLopt's SLSQP with central differences, fixed starts and numbers of evaluations. A
// search from several starts finds local optima: what it does not find is no proof.
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <nlopt.hpp>
#include <random>
#include <vector>

namespace cerar::bench {
namespace {

using Eigen::MatrixXd;
using Numbers = std::vector<double>;

struct Problem {
  int ranks, order;
  double condition;

  int width() const { return order + 1; }
  int hops() const { return (order + 2) * ranks - 1; }
  double node(int hop) const { return (hop - (hops() - 1) / 2.0) / ranks; }
};

// Logarithms, which are smooth and of one size.
struct Quality {
  double error;
  Numbers condition;  // by offset

  double worst_condition() const { return *std::max_element(condition.begin(), condition.end()); }
};

constexpr double kHopeless = 50;

double finite(double x) { return std::isfinite(x) ? x : kHopeless; }

Quality quality_of(const Problem& p, const MatrixXd& table) {
  const int width = p.width();
  Quality quality;
  double squares = 0;
  for (int offset = 0; offset < p.ranks; ++offset) {
    const int first = p.ranks - 1 + offset;
    MatrixXd mean(width, width), lagged(width, width);
    for (int m = 0; m < width; ++m) {
      mean.row(m) = table.middleRows(first + (m - 1) * p.ranks + 1, p.ranks).colwise().mean();
    }
    const MatrixXd decode = mean.inverse();
    const Eigen::JacobiSVD<MatrixXd> svd(mean);
    quality.condition.push_back(
        finite(std::log(svd.singularValues()(0) / svd.singularValues()(p.order))));
    for (int lag = 1; lag < p.ranks; ++lag) {
      for (int m = 0; m < width; ++m) lagged.row(m) = table.row(first + m * p.ranks - lag);
      squares += (decode * (mean - lagged)).squaredNorm();
    }
  }
  quality.error = finite(std::log(squares / (width * p.ranks * p.ranks)) / 2);
  return quality;
}

// A family of tables.
using Family = std::function<MatrixXd(const Numbers&)>;

struct Search {
  const Problem* problem;
  const Family* family;

  Quality at(const Numbers& x) const { return quality_of(*problem, (*family)(x)); }
};

constexpr double kStep = 1e-6;  // of central differences

// Quality a step up and a step down in one variable.
template <class Use>
void differentiate(const Search& search, Numbers x, Use use) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double middle = x[i];
    x[i] = middle + kStep;
    const Quality up = search.at(x);
    x[i] = middle - kStep;
    const Quality down = search.at(x);
    x[i] = middle;
    use(i, up, down);
  }
}

double objective(const Numbers& x, Numbers& gradient, void* data) {
  const auto& search = *static_cast<const Search*>(data);
  if (!gradient.empty()) {
    differentiate(search, x, [&](std::size_t i, const Quality& up, const Quality& down) {
      gradient[i] = (up.error - down.error) / (2 * kStep);
    });
  }
  return search.at(x).error;
}

void constraints(unsigned count, double* result, unsigned n, const double* at, double* gradient,
                 void* data) {
  const auto& search = *static_cast<const Search*>(data);
  const Numbers x(at, at + n);
  const Quality here = search.at(x);
  for (unsigned k = 0; k < count; ++k) {
    result[k] = here.condition[k] - std::log(search.problem->condition);
  }
  if (gradient == nullptr) return;
  differentiate(search, x, [&](std::size_t i, const Quality& up, const Quality& down) {
    for (unsigned k = 0; k < count; ++k) {
      gradient[k * n + i] = (up.condition[k] - down.condition[k]) / (2 * kStep);
    }
  });
}

struct Found {
  Numbers x;
  double error = kHopeless;  // its logarithm
};

// From `start` and from others near it, evenly spread within `spread` to either side.
Found minimise(const Problem& problem, const Family& family, const Numbers& start, int starts,
               double spread) {
  constexpr int kEvaluations = 400;
  constexpr double kClose = 1e-5;
  Search search{&problem, &family};
  std::mt19937 random(1);
  std::uniform_real_distribution<double> off(-spread, spread);
  Found best{start, kHopeless};
  for (int k = 0; k < starts; ++k) {
    Numbers x = start;
    if (k > 0) {
      for (double& value : x) value += off(random);
    }
    nlopt::opt optimiser(nlopt::LD_SLSQP, static_cast<unsigned>(x.size()));
    optimiser.set_min_objective(objective, &search);
    optimiser.add_inequality_mconstraint(constraints, &search, Numbers(problem.ranks, 1e-7));
    optimiser.set_maxeval(kEvaluations);
    optimiser.set_ftol_rel(1e-9);
    try {
      double unused;
      optimiser.optimize(x, unused);
    } catch (const std::runtime_error&) {
      // It got as far as rounding lets it; x is where.
    }
    const Quality quality = search.at(x);
    const bool kept = quality.worst_condition() <= std::log(problem.condition) + kClose;
    if (kept && quality.error < best.error) best = {x, quality.error};
  }
  return best;
}

// Powers of the nodes; power r from 1 times e^scales[r − 1].
MatrixXd powers(const Problem& p, const Numbers& nodes, const double* scales) {
  MatrixXd table(p.hops(), p.width());
  for (int h = 0; h < p.hops(); ++h) {
    double power = 1;
    for (int r = 0; r < p.width(); ++r) {
      table(h, r) = power * (r == 0 ? 1 : std::exp(scales[r - 1]));
      power *= nodes[h];
    }
  }
  return table;
}

Numbers even_nodes(const Problem& p) {
  Numbers nodes;
  for (int h = 0; h < p.hops(); ++h) nodes.push_back(p.node(h));
  return nodes;
}

// Scales of the even design whose condition is κ.
Numbers even_scales(const Problem& p, const Numbers& nodes) {
  const auto scales_of = [&](double log_spacing) {
    Numbers scales;
    for (int r = 1; r <= p.order; ++r) scales.push_back(r * log_spacing);
    return scales;
  };
  double low = -12, high = 3;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    const Numbers scales = scales_of(middle);
    const double condition = quality_of(p, powers(p, nodes, scales.data())).worst_condition();
    (condition > std::log(p.condition) ? low : high) = middle;
  }
  return scales_of(high);
}

MatrixXd exponential(const MatrixXd& a) {
  constexpr int kHalvings = 4, kTerms = 14;
  const MatrixXd small = a / (1 << kHalvings);
  MatrixXd term = MatrixXd::Identity(a.rows(), a.cols()), sum = term;
  for (int k = 1; k < kTerms; ++k) sum += term = term * small / k;
  for (int k = 0; k < kHalvings; ++k) sum = sum * sum;
  return sum;
}

// Solutions of a differential equation of order q+1 at the even nodes: x has the coefficients of
// its characteristic polynomial, all 0 for powers, then what a basis differs in from x^r/r! with
// these scales.
MatrixXd solutions(const Problem& p, const Numbers& scales, const Numbers& x) {
  const int width = p.width();
  MatrixXd companion = MatrixXd::Zero(width, width), basis = MatrixXd::Identity(width, width);
  MatrixXd diagonal = basis;
  double factorial = 1;
  for (int r = 0; r < width; ++r) {
    if (r < p.order) companion(r, r + 1) = 1;
    companion(p.order, r) = x[r];
    for (int s = 0; s < width; ++s) basis(r, s) += x[width + r * width + s];
    if (r == 0) continue;
    factorial *= r;
    diagonal(r, r) = std::exp(scales[r - 1]) * factorial;
  }
  MatrixXd table(p.hops(), width);
  for (int h = 0; h < p.hops(); ++h) {
    table.row(h) = exponential(p.node(h) * companion).row(0) * diagonal * basis;
  }
  return table;
}

void print(const char* name, double even, double error) {
  std::printf("%-9s error %.4e  gain %.4f\n", name, std::exp(error), std::exp(even - error));
}

void study(const Problem& p) {
  const Numbers nodes = even_nodes(p), even = even_scales(p, nodes);
  const double error = quality_of(p, powers(p, nodes, even.data())).error;
  print("even", error, error);

  const Found scales = minimise(
      p, [&](const Numbers& x) { return powers(p, nodes, x.data()); }, even, 3, 0.5);
  print("scales", error, scales.error);

  const Family with_nodes = [&](const Numbers& x) {
    Numbers moved = nodes;
    for (int h = 0; h < p.hops(); ++h) moved[h] += x[h];
    return powers(p, moved, x.data() + p.hops());
  };
  Numbers start(p.hops(), 0);
  start.insert(start.end(), scales.x.begin(), scales.x.end());
  const Found uneven = minimise(p, with_nodes, start, 3, 0.1);
  print("nodes", error, uneven.error);

  const Family with_spectrum = [&](const Numbers& x) { return solutions(p, scales.x, x); };
  const int free = p.width() + p.width() * p.width();
  const Found spectrum = minimise(p, with_spectrum, Numbers(free, 0), 4, 0.3);
  print("spectrum", error, spectrum.error);

  const MatrixXd base =
      spectrum.error < uneven.error ? with_spectrum(spectrum.x) : with_nodes(uneven.x);
  const Eigen::RowVectorXd size = base.cwiseAbs().colwise().mean();
  const Family any = [&](const Numbers& x) {
    const Eigen::Map<const MatrixXd> change(x.data(), base.rows(), base.cols());
    return MatrixXd(base + change * size.asDiagonal());
  };
  const Found table = minimise(p, any, Numbers(base.size(), 0), 2, 0.05);
  print("table", error, table.error);
}

int run(int argc, char** argv) {
  Problem p{};
  if (argc == 4) p = {std::atoi(argv[1]), std::atoi(argv[2]), std::atof(argv[3])};
  if (p.ranks < 2 || p.ranks > 16 || p.order < 1 || p.order > 7 || !(p.condition > 10)) {
    std::fprintf(stderr,
                 "usage: design_study N Q KAPPA\n"
                 "N ranks, 2 to 16; order Q, 1 to 7; greatest condition KAPPA, above 10\n");
    return 2;
  }
  std::printf("N = %d, q = %d, condition at most %g\n", p.ranks, p.order, p.condition);
  study(p);
  return 0;
}

}  // namespace
}  // namespace cerar::bench

int main(int argc, char** argv) { return cerar::bench::run(argc, argv); }
