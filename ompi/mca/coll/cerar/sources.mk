# The component's sources, for local.mk here and for Makefile.am inside Open MPI's source tree.
coll_cerar_sources = \
  %D%/coll_cerar.h \
  %D%/coll_cerar_agree.c \
  %D%/coll_cerar_allreduce.c \
  %D%/coll_cerar_compat.h \
  %D%/coll_cerar_component.c \
  %D%/coll_cerar_context.c \
  %D%/coll_cerar_coroutine.c \
  %D%/coll_cerar_coroutine.h \
  %D%/coll_cerar_exchange.c \
  %D%/coll_cerar_hints.c \
  %D%/coll_cerar_iallreduce.c \
  %D%/coll_cerar_module.c \
  %D%/coll_cerar_params.c \
  %D%/coll_cerar_params.h \
  %D%/coll_cerar_pass_on.c \
  %D%/coll_cerar_peers.c \
  %D%/coll_cerar_persistent.c \
  %D%/coll_cerar_pml.c \
  %D%/coll_cerar_pml.h \
  %D%/coll_cerar_pvar.c \
  %D%/coll_cerar_registry.c \
  %D%/coll_cerar_request.c \
  %D%/coll_cerar_request.h \
  %D%/coll_cerar_ring.c \
  %D%/coll_cerar_rules.c \
  %D%/coll_cerar_say.c \
  %D%/coll_cerar_setting_up.c \
  %D%/coll_cerar_staged.c \
  %D%/coll_cerar_stats.c \
  %D%/coll_cerar_team.c \
  %D%/coll_cerar_types.c \
  %D%/coll_cerar_watch.c
