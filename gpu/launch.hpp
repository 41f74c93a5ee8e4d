// From the arguments of kernel.hpp to launches: which kernel, how many blocks, how long runs are
// cut up.
#pragma once

#include <cstddef>

#include "core/kernel/kernel.hpp"
#include "gpu/device.hpp"

namespace cerar::gpu {

// Puts work into a worker's stream. The device's context must be current.
template <class T>
class Launcher {
 public:
  Launcher(const Driver& driver, const Kernels& kernels, api::Stream stream)
      : driver_(driver), kernels_(kernels.of<T>()), stream_(stream) {}

  // Addresses are the device's, but for w and own of decode; these, if lanes is above kMaxTerms,
  // are the device's too, and scratch has scratch_elements(lanes).
  api::Result combine(const kernel::Combine<T>& args) const;
  api::Result decode(const kernel::Decode<T>& args) const;
  api::Result decode_any(const kernel::Decode<T>& args, T* scratch) const;

  // slots: kThreads a block, on the device; blocks up to kMagnitudeBlocks.
  api::Result magnitude(const T* values, std::size_t elements, kernel::Magnitude<T>* slots,
                        unsigned blocks) const;

  static std::size_t scratch_elements(int lanes);

 private:
  api::Result combine_rows(const kernel::Combine<T>& args) const;
  api::Result decode_tiles(const kernel::Decode<T>& args) const;
  api::Result launch(api::Function kernel, std::size_t blocks, unsigned threads, void* args) const;

  const Driver& driver_;
  const Kernels::OfType& kernels_;
  api::Stream stream_;
};

extern template class Launcher<float>;
extern template class Launcher<double>;

}  // namespace cerar::gpu
