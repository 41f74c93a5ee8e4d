// Decoding when N does not divide c: classes with components of their own, tied together by those
// that they share.
#pragma once

#include <vector>

#include "core/code/window.hpp"

namespace cerar::code {

// One rank's view. Position j = 0 … N−1 is the class whose first useful hop is N−1+j. The first s =
// c − qN positions get q+1 visits, which tell the class's own q components and the number R_p·z, z
// being the shared components; s such numbers tell z. The other classes get q visits and need z
// first.
struct SharedCode {
  int rank = 0;
  int shared = 0;               // s
  Matrix rows;                  // N × s: R, by class
  Matrix unmix;                 // s × s: inverse of the rows of positions 0 … s−1
  std::vector<Window> windows;  // by position

  int ranks() const { return static_cast<int>(windows.size()); }
  int order() const { return static_cast<int>(windows.front().mean.cols()) - 1; }
  int components() const { return order() * ranks() + shared; }
  int class_at(int position) const { return ((rank + 1 - position) % ranks() + ranks()) % ranks(); }
};

SharedCode make_shared_code(const Sequence& sequence, int components, int rank);

// c × c, row = useful visit in hop order, column = component: the coefficients given one matrix of
// visits × (q+1) for each position, such as Window::mean.
Matrix assemble(const SharedCode& code, const std::vector<Matrix>& coefficients);

// c × c: the inverse of the assembled means, put together from the windows' small ones.
Matrix assemble_decode(const SharedCode& code);

}  // namespace cerar::code
