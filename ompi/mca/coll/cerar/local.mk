# The component's sources, and the file of its messages, which lies beside it wherever that is.
mca_coll_cerar_la_SOURCES = \
  ompi/mca/coll/cerar/coll_cerar.h \
  ompi/mca/coll/cerar/coll_cerar_agree.c \
  ompi/mca/coll/cerar/coll_cerar_allreduce.c \
  ompi/mca/coll/cerar/coll_cerar_compat.h \
  ompi/mca/coll/cerar/coll_cerar_component.c \
  ompi/mca/coll/cerar/coll_cerar_context.c \
  ompi/mca/coll/cerar/coll_cerar_hints.c \
  ompi/mca/coll/cerar/coll_cerar_iallreduce.c \
  ompi/mca/coll/cerar/coll_cerar_module.c \
  ompi/mca/coll/cerar/coll_cerar_params.c \
  ompi/mca/coll/cerar/coll_cerar_params.h \
  ompi/mca/coll/cerar/coll_cerar_pass_on.c \
  ompi/mca/coll/cerar/coll_cerar_peers.c \
  ompi/mca/coll/cerar/coll_cerar_persistent.c \
  ompi/mca/coll/cerar/coll_cerar_pml.c \
  ompi/mca/coll/cerar/coll_cerar_pml.h \
  ompi/mca/coll/cerar/coll_cerar_pvar.c \
  ompi/mca/coll/cerar/coll_cerar_registry.c \
  ompi/mca/coll/cerar/coll_cerar_request.c \
  ompi/mca/coll/cerar/coll_cerar_request.h \
  ompi/mca/coll/cerar/coll_cerar_ring.c \
  ompi/mca/coll/cerar/coll_cerar_rules.c \
  ompi/mca/coll/cerar/coll_cerar_say.c \
  ompi/mca/coll/cerar/coll_cerar_staged.c \
  ompi/mca/coll/cerar/coll_cerar_stats.c \
  ompi/mca/coll/cerar/coll_cerar_team.c \
  ompi/mca/coll/cerar/coll_cerar_types.c \
  ompi/mca/coll/cerar/coll_cerar_watch.c

cerar_help_file = ompi/mca/coll/cerar/help-mpi-coll-cerar.txt
dist_mca_DATA = $(cerar_help_file)

# docs/parameters.md is what the component registers.
parameters-page: component/mca_coll_cerar.so
	OMPI_MCA_mca_base_component_path='$(component_dir):$(OMPI_PKGLIBDIR)' LD_LIBRARY_PATH='$(abs_top_builddir)/.libs' \
	  '$(srcdir)/scripts/parameters_page.sh' '$(OMPI_INFO)' >parameters.md
	mv parameters.md '$(srcdir)/docs/parameters.md'
