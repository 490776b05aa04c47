#ifndef COUNTERSIGN_CZLIB_H
#define COUNTERSIGN_CZLIB_H

#include <string.h>
#include <zlib.h>

/* inflateInit2 is a macro, which Swift does not see. A ZIP entry has no header of zlib's: negative window bits. */

static inline int countersign_inflate_begin(z_stream *stream) {
    memset(stream, 0, sizeof *stream);
    return inflateInit2(stream, -MAX_WBITS);
}

#endif
