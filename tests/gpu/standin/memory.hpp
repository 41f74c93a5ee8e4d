// The stand-in's memory: device, managed, pinned and registered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

namespace cerar::standin {

enum class MemoryKind { device, managed, pinned, registered };

struct Context;

struct Allocation {
  MemoryKind kind;
  std::byte* user;   // what the program sees
  std::byte* alias;  // where the stand-in has access: user itself but for device memory
  std::size_t bytes;
  Context* context;
  std::uint64_t id;
  bool synchronous = false;  // CU_POINTER_ATTRIBUTE_SYNC_MEMOPS
  bool pooled = false;       // it has no context or id of its own, and can't be made synchronous
};

// Not thread-safe.
class Memory {
 public:
  // nullptr: out of memory.
  Allocation* allocate(MemoryKind kind, std::size_t bytes, Context* context);
  Allocation* add_registered(void* user, std::size_t bytes, Context* context);
  // False: no allocation begins there. Ends the process if something was written beyond the end.
  bool release(const void* user);

  // All of a context.
  void release_all(const Context* context);

  // The allocation that a pointer points into, or nullptr.
  Allocation* find(const void* pointer);

  std::size_t count(bool on_host) const;
  std::size_t device_bytes() const;

 private:
  struct Mapping;
  struct Entry {
    Allocation allocation;
    std::shared_ptr<Mapping> mapping;
  };
  std::map<const std::byte*, Entry> entries_;
  std::uint64_t next_id_ = 1;
};

}  // namespace cerar::standin
