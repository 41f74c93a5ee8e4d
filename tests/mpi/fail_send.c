#include "tests/mpi/fail_send.h"

#include "ompi/mca/pml/pml.h"

static mca_pml_base_module_isend_fn_t isend;

static int fail_once(const void* buffer, size_t count, struct ompi_datatype_t* type, int to,
                     int tag, mca_pml_base_send_mode_t mode, struct ompi_communicator_t* comm,
                     struct ompi_request_t** request) {
  (void)buffer, (void)count, (void)type, (void)to, (void)tag, (void)mode, (void)comm;
  (void)request;
  mca_pml.pml_isend = isend;
  return OMPI_ERR_OUT_OF_RESOURCE;
}

void fail_next_send(void) {
  isend = mca_pml.pml_isend;
  mca_pml.pml_isend = fail_once;
}
