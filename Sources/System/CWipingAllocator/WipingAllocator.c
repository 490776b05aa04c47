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
#include <stdint.h>

extern void __libc_free(void *piece);

// The mark that glibc leaves in the second word of a released piece that its thread's cache holds. It is one random
// number for the whole process (since glibc 2.34), and the C library detects a double free by it. Zero means unknown.
static uintptr_t released_mark;

__attribute__((constructor)) static void learn_released_mark(void) {
    volatile uintptr_t *piece = malloc(2 * sizeof(uintptr_t));
    if (piece == NULL) return;
    piece[1] = 0;
    __libc_free((void *)piece);
    released_mark = piece[1];
}

static int is_marked_as_released(void *piece) {
    if (released_mark == 0 || malloc_usable_size(piece) < 2 * sizeof(uintptr_t)) return 0;
    return ((volatile uintptr_t *)piece)[1] == released_mark;
}

void free(void *piece) {
    if (piece == NULL) return;
    if (is_marked_as_released(piece)) {
        // Overwriting the mark would hide a double free. The C library looks into its cache and aborts if the piece is
        // there. If it is not, the piece is in use and holds the mark by chance, one in 2^64: it is released as it is.
        __libc_free(piece);
        return;
    }
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
