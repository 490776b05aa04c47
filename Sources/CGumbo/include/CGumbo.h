#ifndef COUNTERSIGN_CGUMBO_H
#define COUNTERSIGN_CGUMBO_H

#include <gumbo.h>
#include <stddef.h>

/// Gumbo (0.10.1) parses to the end, however long that takes and however much it allocates. Here it is ended where a
/// limit is passed: its allocator jumps out of it, and all that it had allocated goes at once.
///
/// No frame but Gumbo's and those of bounded_parse.c is jumped over.

typedef enum {
    COUNTERSIGN_PARSED,
    COUNTERSIGN_NO_MEMORY,
    COUNTERSIGN_OVER_MEMORY,
    COUNTERSIGN_OVER_DEPTH,
    COUNTERSIGN_OVER_ATTRIBUTES,
    COUNTERSIGN_OVER_TIME,
} countersign_parse_outcome;

typedef struct {
    /// Bytes that Gumbo may hold.
    size_t memory;
    /// Elements open at once, rounded down to 10 times a power of two: what Gumbo's stack grows by. It bounds Gumbo's one
    /// recursion too, by which a frameset destroys the body before it.
    size_t depth;
    /// Attributes of one element, rounded down to a power of two.
    size_t attributes;
    /// Milliseconds of the thread's processor time.
    long time;
} countersign_parse_limits;

typedef struct countersign_parse countersign_parse;

/// Parses a page of UTF-8. `text` has to stay until the parse is freed. `parse` is NULL unless the outcome is
/// COUNTERSIGN_PARSED.
countersign_parse_outcome countersign_parse_page(
    const char *text, size_t length, const countersign_parse_limits *limits, countersign_parse **parse);

/// Gumbo's document node, which goes with the parse.
GumboNode *countersign_parse_document(const countersign_parse *parse);

void countersign_parse_free(countersign_parse *parse);

#endif
