#define _GNU_SOURCE
#include "CWipingAllocator.h"

#include <stdlib.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif

#if defined(__linux__) && defined(__GLIBC__) && !defined(HAS_SANITIZER)

#include <malloc.h>

extern void __libc_free(void *piece);

void free(void *piece) {
    if (piece == NULL) return;
    explicit_bzero(piece, malloc_usable_size(piece));
    __libc_free(piece);
}

void *realloc(void *piece, size_t size) {
    if (piece == NULL) return malloc(size);
    if (size == 0) {
        free(piece);
        return NULL;
    }
    size_t had = malloc_usable_size(piece);
    if (size <= had && size >= had / 2) {
        // What is cut off may be a secret's end.
        explicit_bzero((char *)piece + size, had - size);
        return piece;
    }
    void *moved = malloc(size);
    if (moved == NULL) return NULL;
    memcpy(moved, piece, had < size ? had : size);
    free(piece);
    return moved;
}

#endif
