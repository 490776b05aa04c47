#ifndef COUNTERSIGN_CZLIB_H
#define COUNTERSIGN_CZLIB_H

#include <string.h>
#include <zlib.h>

/* inflateInit2 is a macro, which Swift does not see. A ZIP entry has no header of zlib's: negative window bits. 16 more are
   for gzip. */

static inline int countersign_inflate_begin_with(z_stream *stream, int window_bits) {
    memset(stream, 0, sizeof *stream);
    return inflateInit2(stream, window_bits);
}

static inline int countersign_inflate_begin(z_stream *stream) {
    memset(stream, 0, sizeof *stream);
    return inflateInit2(stream, -MAX_WBITS);
}

#endif
