# What is installed: pages, programs that use it, what is left when it is taken away.
install_tests = tests/install/configure.sh tests/install/man_pages.sh tests/install/install.sh tests/install/user.sh
dist_check_SCRIPTS += $(install_tests)
TESTS += $(install_tests)
EXTRA_DIST += tests/install/program.c

if HAVE_TOOLS
install_have_tools = yes
else
install_have_tools = no
endif
if HAVE_OMPI
install_have_ompi = yes
else
install_have_ompi = no
endif

# What they need to know of the build.
check_DATA += tests/install/settings.sh
CLEANFILES += tests/install/settings.sh
tests/install/settings.sh: Makefile
	$(AM_V_GEN)$(MKDIR_P) tests/install && printf "%s='%s'\n" \
	  prefix '$(prefix)' \
	  bindir '$(bindir)' \
	  includedir '$(includedir)' \
	  libdir '$(libdir)' \
	  mandir '$(mandir)' \
	  mcadir '$(mcadir)' \
	  have_ompi $(install_have_ompi) \
	  have_tools $(install_have_tools) \
	  pkg_config '$(PKG_CONFIG)' \
	  cc '$(CC) $(CFLAGS) $(SANITIZE_FLAGS)' \
	  configure_flags '$(DISTCHECK_FLAGS)' > $@
