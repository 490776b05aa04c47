#include "CGumbo.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Blocks come from large chunks and go back to a list for their size. What is asked for stands before each block.

enum {
    size_step = 16,
    small_sizes = 32,
    powers = 8 * sizeof(size_t),
    first_chunk = 64 << 10,
    largest_chunk = 4 << 20,
    // A look at the clock takes about as long as one allocation.
    allocations_between_looks = 16,
};

typedef struct block {
    size_t size;
    // The next free block of the size; in use, what Gumbo keeps begins here.
    struct block *next;
} block;

typedef struct chunk {
    struct chunk *before;
    char *end;
} chunk;

struct countersign_parse {
    jmp_buf out;
    countersign_parse_outcome outcome;
    countersign_parse_limits limits;
    GumboOptions options;
    GumboOutput *output;
    chunk *chunks;
    char *next;
    char *end;
    size_t chunk_size;
    size_t held;
    size_t last_size;
    unsigned allocations;
    struct timespec began_running;
    struct timespec began_waiting;
    block *small[small_sizes + 1];
    block *large[powers];
};

_Noreturn static void give_up(countersign_parse *parse, countersign_parse_outcome outcome) {
    parse->outcome = outcome;
    longjmp(parse->out, 1);
}

static block *block_of(void *memory) { return (block *)((char *)memory - offsetof(block, next)); }

/// The free list for a size, and the size rounded up to what its blocks hold.
static block **free_list(countersign_parse *parse, size_t size, size_t *rounded) {
    if (size <= small_sizes * size_step) {
        size_t step = (size + size_step - 1) / size_step;
        if (step == 0) step = 1;
        *rounded = step * size_step;
        return &parse->small[step];
    }
    int power = powers - __builtin_clzl(size - 1);
    *rounded = (size_t)1 << power;
    return &parse->large[power];
}

// MARK: Limits

static long milliseconds_since(const struct timespec *start, clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (now.tv_sec - start->tv_sec) * 1000 + (now.tv_nsec - start->tv_nsec) / 1000000;
}

static void look_at_clock(countersign_parse *parse) {
    // The thread's own time takes a system call to read, and cannot be ahead of the clock on the wall.
    if (milliseconds_since(&parse->began_waiting, CLOCK_MONOTONIC) <= parse->limits.time) return;
    if (milliseconds_since(&parse->began_running, CLOCK_THREAD_CPUTIME_ID) > parse->limits.time) {
        give_up(parse, COUNTERSIGN_OVER_TIME);
    }
}

/// The size of the block that an address is, or 0 when it is none of ours.
static size_t size_of_block_at(const countersign_parse *parse, const char *address) {
    for (const chunk *chunk = parse->chunks; chunk != NULL; chunk = chunk->before) {
        if (address > (const char *)(chunk + 1) && address < chunk->end) return block_of((void *)address)->size;
    }
    return 0;
}

/// Whether a block of memory is a vector of pointers to blocks of a size. Gumbo's strings hold no pointers, and no NUL
/// that would make them look like one.
static bool is_vector(const countersign_parse *parse, void *const *memory, size_t count, size_t size) {
    for (size_t index = 0; index < count; index++) {
        if (size_of_block_at(parse, memory[index]) == size) return true;
    }
    return false;
}

static bool is_power_of_two(size_t number) { return (number & (number - 1)) == 0; }

/// Gumbo's vectors double when they are full: a block of twice the size comes, and the old one goes. The stack of open
/// elements and the list of active formatting elements begin with 10 and 5 places, those of attributes with one. By
/// these stacks Gumbo takes time with every character of text, and allocates nothing while it does.
static void look_at_vector(countersign_parse *parse, void *memory, size_t size) {
    size_t places = size / sizeof(void *);
    if (places >= parse->limits.attributes && is_power_of_two(places)
        && is_vector(parse, memory, 1, sizeof(GumboAttribute))) {
        give_up(parse, COUNTERSIGN_OVER_ATTRIBUTES);
    }
    if (places >= parse->limits.depth && places % 5 == 0 && is_power_of_two(places / 5)
        && is_vector(parse, memory, places / 4, sizeof(GumboNode))) {
        give_up(parse, COUNTERSIGN_OVER_DEPTH);
    }
}

static size_t largest_in_steps(size_t first, size_t limit) {
    size_t size = first;
    while (size * 2 <= limit) size *= 2;
    return size;
}

// MARK: Gumbo's allocator

static void add_chunk(countersign_parse *parse, size_t room) {
    size_t size = sizeof(chunk) + room;
    if (size < parse->chunk_size) size = parse->chunk_size;
    if (size > parse->limits.memory - parse->held) give_up(parse, COUNTERSIGN_OVER_MEMORY);
    chunk *added = malloc(size);
    if (added == NULL) give_up(parse, COUNTERSIGN_NO_MEMORY);
    added->before = parse->chunks;
    added->end = (char *)added + size;
    parse->chunks = added;
    parse->held += size;
    parse->next = (char *)(added + 1);
    parse->end = added->end;
    if (parse->chunk_size < largest_chunk) parse->chunk_size *= 2;
}

static void *allocate(void *context, size_t size) {
    countersign_parse *parse = context;
    if (++parse->allocations % allocations_between_looks == 0) look_at_clock(parse);
    if (size > parse->limits.memory) give_up(parse, COUNTERSIGN_OVER_MEMORY);
    parse->last_size = size;
    size_t rounded;
    block **list = free_list(parse, size, &rounded);
    block *found = *list;
    if (found != NULL) {
        *list = found->next;
    } else {
        size_t whole = offsetof(block, next) + rounded;
        if (whole > (size_t)(parse->end - parse->next)) add_chunk(parse, whole);
        found = (block *)parse->next;
        parse->next += whole;
    }
    found->size = size;
    return &found->next;
}

static void deallocate(void *context, void *memory) {
    countersign_parse *parse = context;
    if (memory == NULL) return;
    block *freed = block_of(memory);
    if (parse->last_size == freed->size * 2) look_at_vector(parse, memory, freed->size);
    size_t rounded;
    block **list = free_list(parse, freed->size, &rounded);
    freed->size = 0;
    freed->next = *list;
    *list = freed;
}

// MARK: The parse

countersign_parse_outcome countersign_parse_page(
    const char *text, size_t length, const countersign_parse_limits *limits, countersign_parse **result) {
    *result = NULL;
    countersign_parse *parse = calloc(1, sizeof *parse);
    if (parse == NULL) return COUNTERSIGN_NO_MEMORY;
    parse->limits = *limits;
    parse->limits.depth = largest_in_steps(10, limits->depth);
    parse->limits.attributes = largest_in_steps(1, limits->attributes);
    parse->chunk_size = first_chunk;
    parse->options = kGumboDefaultOptions;
    parse->options.allocator = allocate;
    parse->options.deallocator = deallocate;
    parse->options.userdata = parse;
    parse->options.max_errors = 0;
    clock_gettime(CLOCK_MONOTONIC, &parse->began_waiting);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &parse->began_running);
    if (setjmp(parse->out) == 0) {
        parse->output = gumbo_parse_with_options(&parse->options, text, length);
    }
    if (parse->outcome != COUNTERSIGN_PARSED) {
        countersign_parse_outcome outcome = parse->outcome;
        countersign_parse_free(parse);
        return outcome;
    }
    *result = parse;
    return COUNTERSIGN_PARSED;
}

GumboNode *countersign_parse_document(const countersign_parse *parse) { return parse->output->document; }

void countersign_parse_free(countersign_parse *parse) {
    chunk *each = parse->chunks;
    while (each != NULL) {
        chunk *before = each->before;
        free(each);
        each = before;
    }
    free(parse);
}
