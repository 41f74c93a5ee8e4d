// Work in a stream of its own on a device.
#pragma once

#include <memory>

#include "core/ring/space.hpp"
#include "gpu/launch.hpp"
#include "gpu/worker_lease.hpp"

namespace cerar::gpu {

template <class T>
class DeviceQueue : public ring::Queue<T> {
 public:
  // lanes: decode will be asked for no more. Throws as check does (driver.hpp).
  DeviceQueue(std::shared_ptr<Device> device, int lanes);
  ~DeviceQueue() override;

  void combine(const kernel::Combine<T>& args) override;
  void decode(const kernel::Decode<T>& args) override;
  void decode_result(const kernel::Decode<T>& args) override;
  void copy(T* to, const T* from, std::size_t elements) override;
  void zero(T* to, std::size_t elements) override;
  void conclude() override;
  kernel::Magnitude<T> greatest() const override;
  void mark() override;
  cerar_status_t test() override;
  void drain() override;

 private:
  template <class Work>
  void put_in(Work work);
  void decode_many_lanes(kernel::Decode<T> args);
  // In the worker's memory: the slots of the greatest magnitudes, and after them the matrices for
  // many lanes; and on the host, what of the slots has been fetched.
  kernel::Magnitude<T>* slots() const;
  const kernel::Magnitude<T>* fetched() const;
  T* matrices() const;

  WorkerLease lease_;
  Launcher<T> launcher_;
  int lanes_;
  bool noting_ = false;          // slots() is in use
  const T* uploaded_ = nullptr;  // the w whose matrices are on the device
  cerar_status_t status_ = CERAR_OK;
  bool marked_ = false;    // the mark has not been seen to be reached
  bool trailing_ = false;  // something was put in after the last mark that was reached
};

extern template class DeviceQueue<float>;
extern template class DeviceQueue<double>;

}  // namespace cerar::gpu
