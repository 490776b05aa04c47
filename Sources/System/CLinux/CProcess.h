#pragma once

#ifdef __linux__
#include <sys/prctl.h>

// Swift does not import functions with variable arguments.
static inline int countersign_set_dumpable(int is_dumpable) { return prctl(PR_SET_DUMPABLE, is_dumpable, 0, 0, 0); }
static inline int countersign_is_dumpable(void) { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0); }
#endif
