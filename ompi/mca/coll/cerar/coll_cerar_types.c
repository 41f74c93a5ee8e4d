/* Which of MPI's types are floats or doubles, singly or in pairs. */
#include "coll_cerar.h"
#include "ompi/datatype/ompi_datatype.h"

typedef struct known_type {
    const ompi_predefined_datatype_t *type;
    size_t per_element; /* 2: complex */
} known_type_t;

/* The most usual first. Fortran's may be of either size, or of none (no Fortran): only their size
 * tells, as does it for C++'s. */
static const known_type_t known[] = {
    {&ompi_mpi_float, 1},
    {&ompi_mpi_double, 1},
    {&ompi_mpi_real, 1},
    {&ompi_mpi_dblprec, 1},
    {&ompi_mpi_real4, 1},
    {&ompi_mpi_real8, 1},
    {&ompi_mpi_c_float_complex, 2},
    {&ompi_mpi_c_double_complex, 2},
    {&ompi_mpi_cplex, 2},
    {&ompi_mpi_dblcplex, 2},
    {&ompi_mpi_complex8, 2},
    {&ompi_mpi_complex16, 2},
    {&ompi_mpi_cxx_cplex, 2},
    {&ompi_mpi_cxx_dblcplex, 2},
};

bool coll_cerar_type(const struct ompi_datatype_t *dtype, cerar_type_t *type, size_t *per_element) {
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
        if (dtype != &known[i].type->dt) {
            continue;
        }
        const size_t size = dtype->super.size / known[i].per_element;
        *per_element = known[i].per_element;
        *type = sizeof(float) == size ? CERAR_FLOAT : CERAR_DOUBLE;
        return sizeof(float) == size || sizeof(double) == size;
    }
    return false;
}
