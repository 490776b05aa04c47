#pragma once

#include <spawn.h>

#ifdef __linux__
// glibc declares these only with _GNU_SOURCE, which Swift's own module of it does not set.
extern int pipe2(int descriptors[2], int flags);
extern int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *folder);
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);
#endif
