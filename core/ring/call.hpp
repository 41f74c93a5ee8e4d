// One all-reduce under way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/cerar.h"
#include "core/ring/layout.hpp"
#include "core/ring/place.hpp"
#include "core/ring/scratch.hpp"
#include "core/ring/stream.hpp"
#include "core/ring/tally.hpp"
#include "core/ring/typed_code.hpp"
#include "core/ring/visit.hpp"
#include "core/transport/transport.hpp"

namespace cerar::ring {

class Call {
 public:
  virtual ~Call() = default;
  // Moves on as far as it goes without waiting. CERAR_OK at the end, CERAR_IN_PROGRESS before; an
  // error is final.
  virtual cerar_status_t progress() = 0;
  // Once progress has said CERAR_OK.
  virtual cerar_range_t range() const = 0;
};

// A call's share of its team.
struct CallResources {
  transport::Transport* transport;
  ScratchPool* pool;     // of the place's memory
  const Place* place;    // read while the call is made
  std::uint32_t number;  // of the call on its team: the tag
  std::size_t segment_bytes;
  int streams;
  Tally* tally;  // the call adds its times when it is done
};

template <class T>
class TypedCall : public Call {
 public:
  // send == nullptr: in place. Throws std::bad_alloc. code and resources' objects must outlive the
  // call.
  TypedCall(const TypedCode<T>& code, const CallResources& resources, const T* send, T* recv,
            std::size_t count);
  ~TypedCall() override;
  TypedCall(const TypedCall&) = delete;
  TypedCall& operator=(const TypedCall&) = delete;

  cerar_status_t progress() override;
  cerar_range_t range() const override;

 private:
  static bool needs_copy(const TypedCode<T>& code, const CallResources& resources, const T* send);
  void make_streams();
  Visitor<T> make_visitor(const TypedCode<T>& code, const T* send, T* recv);
  cerar_status_t advance_streams(bool& moved);
  void release();
  void account();

  CallResources resources_;
  std::size_t count_;
  Layout layout_;
  SpaceBuffer copy_;  // of the input, where it is needed to the end and not kept by the caller
  std::unique_ptr<Scratch> scratch_;
  Clock::time_point posted_ = Clock::now();
  Times times_;
  Visitor<T> visitor_;
  StreamContext<T> context_;
  std::vector<Stream<T>> streams_;
  std::size_t running_ = 0;  // streams not done
  cerar_status_t status_ = CERAR_IN_PROGRESS;
};

extern template class TypedCall<float>;
extern template class TypedCall<double>;

}  // namespace cerar::ring
