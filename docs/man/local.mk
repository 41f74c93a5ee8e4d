# Man pages, of templates and lists: docs/man/page.sh.
man1_MANS =
man7_MANS = docs/man/cerar.7
if HAVE_TOOLS
man1_MANS += docs/man/cerar_plan.1
if HAVE_OMPI
man1_MANS += docs/man/cerar_tune.1
endif
endif
if HAVE_OMPI
man7_MANS += docs/man/mca_coll_cerar.7
endif
CLEANFILES += docs/man/cerar.7 docs/man/cerar_plan.1 docs/man/cerar_tune.1 docs/man/mca_coll_cerar.7
EXTRA_DIST += docs/man/page.sh docs/man/cerar_plan.txt docs/man/cerar_tune.txt \
  docs/man/cerar.7.in docs/man/cerar_plan.1.in docs/man/cerar_tune.1.in docs/man/mca_coll_cerar.7.in

man_parts = docs/man/page.sh docs/man/cerar_plan.txt docs/man/cerar_tune.txt docs/parameters.md Makefile
man_page = $(AM_V_GEN)$(MKDIR_P) docs/man && \
  AWK='$(AWK)' $(SHELL) '$(srcdir)/docs/man/page.sh' '$(srcdir)' '$(VERSION)' '$(srcdir)'/$@.in >$@.new && mv -f $@.new $@
docs/man/cerar.7: docs/man/cerar.7.in $(man_parts)
	$(man_page)
docs/man/cerar_plan.1: docs/man/cerar_plan.1.in $(man_parts)
	$(man_page)
docs/man/cerar_tune.1: docs/man/cerar_tune.1.in $(man_parts)
	$(man_page)
docs/man/mca_coll_cerar.7: docs/man/mca_coll_cerar.7.in $(man_parts)
	$(man_page)

# The options on the pages are those that the commands show.
plan-options: cerar_plan$(EXEEXT)
	./cerar_plan --help >plan-options.txt
	mv plan-options.txt '$(srcdir)/docs/man/cerar_plan.txt'
tune-options: cerar_tune$(EXEEXT)
	./cerar_tune --help >tune-options.txt
	mv tune-options.txt '$(srcdir)/docs/man/cerar_tune.txt'
.PHONY: plan-options tune-options
