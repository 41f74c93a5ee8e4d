include ompi/mca/coll/cerar/sources.mk
mca_coll_cerar_la_SOURCES = $(coll_cerar_sources)

# The file of its messages lies beside it, wherever that is.
cerar_help_file = ompi/mca/coll/cerar/help-mpi-coll-cerar.txt
dist_mca_DATA = $(cerar_help_file)

# docs/parameters.md is what the component registers.
parameters-page: component/mca_coll_cerar.so
	OMPI_MCA_mca_base_component_path='$(component_dir):$(OMPI_PKGLIBDIR)' LD_LIBRARY_PATH='$(abs_top_builddir)/.libs' \
	  '$(srcdir)/scripts/parameters_page.sh' '$(OMPI_INFO)' >parameters.md
	mv parameters.md '$(srcdir)/docs/parameters.md'
