// How far the results of the ranks are from each other.
#pragma once

#include "core/code/error.hpp"

namespace cerar::code {

// The largest ‖Ĝ_i − Ĝ_j‖/‖G‖ of all pairs of ranks, for data as in error.hpp; its two parts are
// those of the pair for which the total is largest. 0 if c = N, where results are the same bit by
// bit. Where N does not divide c it is not known: throws std::invalid_argument, as for a spec out
// of its range. Long sums are sampled: within 1%.
PredictedError predict_spread(const Spec& spec, OwnContribution own);

}  // namespace cerar::code
