#include "tests/gpu/standin/memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace cerar::standin {
namespace {

constexpr std::size_t kAlignment = 256;  // the driver's promise
constexpr int kCanary = 0xA5;
constexpr int kFresh = 0xFF;  // as a float or double: NaN

std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

// One file in memory, mapped once for the stand-in and, for device memory, once more without
// access. Allocations end at the end of a mapping, and an inaccessible page follows.
struct Memory::Mapping {
  std::byte* alias = nullptr;
  std::byte* user = nullptr;
  std::size_t bytes = 0;
  std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));

  bool map(std::size_t wanted, bool hidden) {
    bytes = round_up(wanted, page);
    const int file = memfd_create("standin", 0);
    if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0) return false;
    alias = place(file, PROT_READ | PROT_WRITE);
    user = hidden ? place(file, PROT_NONE) : alias;
    close(file);
    return alias != nullptr && user != nullptr;
  }
  std::byte* place(int file, int protection) const {
    void* const room = mmap(nullptr, bytes + page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) return nullptr;
    void* const at = mmap(room, bytes, protection, MAP_SHARED | MAP_FIXED, file, 0);
    return at == MAP_FAILED ? nullptr : static_cast<std::byte*>(at);
  }
  ~Mapping() {
    if (user != nullptr && user != alias) munmap(user, bytes + page);
    if (alias != nullptr) munmap(alias, bytes + page);
  }
};

Allocation* Memory::allocate(MemoryKind kind, std::size_t bytes, Context* context) {
  const std::size_t rounded = round_up(bytes, kAlignment);
  auto mapping = std::make_shared<Mapping>();
  if (!mapping->map(rounded, kind == MemoryKind::device)) return nullptr;
  const std::size_t skipped = mapping->bytes - rounded;
  Allocation made{kind,      mapping->user + skipped, mapping->alias + skipped, bytes, context,
                  next_id_++};
  std::memset(made.alias, kFresh, bytes);
  std::memset(made.alias + bytes, kCanary, rounded - bytes);
  Entry& entry = entries_[made.user] = Entry{made, std::move(mapping)};
  return &entry.allocation;
}

Allocation* Memory::add_registered(void* user, std::size_t bytes, Context* context) {
  auto* const at = static_cast<std::byte*>(user);
  Allocation made{MemoryKind::registered, at, at, bytes, context, next_id_++};
  Entry& entry = entries_[at] = Entry{made, nullptr};
  return &entry.allocation;
}

bool Memory::release(const void* user) {
  const auto found = entries_.find(static_cast<const std::byte*>(user));
  if (found == entries_.end()) return false;
  const Allocation& gone = found->second.allocation;
  if (found->second.mapping) {
    const std::size_t rounded = round_up(gone.bytes, kAlignment);
    const bool intact = std::all_of(gone.alias + gone.bytes, gone.alias + rounded,
                                    [](std::byte b) { return b == std::byte{kCanary}; });
    if (!intact) {
      std::fprintf(stderr, "stand-in driver: something was written beyond an allocation's end\n");
      std::abort();
    }
  }
  entries_.erase(found);
  return true;
}

void Memory::release_all(const Context* context) {
  std::erase_if(entries_, [context](const auto& entry) {
    return entry.second.allocation.context == context;
  });
}

Allocation* Memory::find(const void* pointer) {
  const auto* const at = static_cast<const std::byte*>(pointer);
  auto after = entries_.upper_bound(at);
  if (after == entries_.begin()) return nullptr;
  Allocation& before = std::prev(after)->second.allocation;
  return at < before.user + std::max<std::size_t>(before.bytes, 1) ? &before : nullptr;
}

std::size_t Memory::count(bool on_host) const {
  return static_cast<std::size_t>(
      std::count_if(entries_.begin(), entries_.end(), [on_host](const auto& entry) {
        const MemoryKind kind = entry.second.allocation.kind;
        return on_host == (kind == MemoryKind::pinned || kind == MemoryKind::registered);
      }));
}

std::size_t Memory::device_bytes() const {
  std::size_t bytes = 0;
  for (const auto& [at, entry] : entries_) {
    if (entry.allocation.kind == MemoryKind::device) bytes += entry.allocation.bytes;
  }
  return bytes;
}

}  // namespace cerar::standin
