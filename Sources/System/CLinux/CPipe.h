#pragma once

#ifdef __linux__
// glibc declares it only with _GNU_SOURCE, which Swift's own module of it does not set.
extern int pipe2(int descriptors[2], int flags);
#endif
