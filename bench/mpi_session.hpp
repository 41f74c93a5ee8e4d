// MPI from here to the end of the scope.
#pragma once

#include <mpi.h>

namespace cerar::bench {

class MpiSession {
 public:
  MpiSession(int& argc, char**& argv) { MPI_Init(&argc, &argv); }
  ~MpiSession() { MPI_Finalize(); }
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;
};

}  // namespace cerar::bench
