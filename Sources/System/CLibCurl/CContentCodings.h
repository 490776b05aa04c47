#ifndef COUNTERSIGN_CCONTENTCODINGS_H
#define COUNTERSIGN_CCONTENTCODINGS_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

// The decoders of brotli and zstd that libcurl brings with it, without their headers. They are loaded when an answer needs
// one. The declarations are those of brotli 1.0 (decode.h) and zstd 1.4 (zstd.h), whose interfaces stay.

#if defined(__APPLE__)
#define COUNTERSIGN_BROTLI "libbrotlidec.1.dylib"
#define COUNTERSIGN_ZSTD "libzstd.1.dylib"
#else
#define COUNTERSIGN_BROTLI "libbrotlidec.so.1"
#define COUNTERSIGN_ZSTD "libzstd.so.1"
#endif

enum { COUNTERSIGN_CODING_FAILED = 0, COUNTERSIGN_CODING_ENDED = 1, COUNTERSIGN_CODING_GOES_ON = 2 };

static inline void *countersign_coding_symbol(const char *library, const char *name) {
    void *loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    return loaded == NULL ? NULL : dlsym(loaded, name);
}

static inline int countersign_has_brotli(void) {
    return countersign_coding_symbol(COUNTERSIGN_BROTLI, "BrotliDecoderDecompressStream") != NULL;
}

static inline void *countersign_brotli_begin(void) {
    void *(*create)(void *, void *, void *) = countersign_coding_symbol(COUNTERSIGN_BROTLI, "BrotliDecoderCreateInstance");
    return create == NULL ? NULL : create(NULL, NULL, NULL);
}

static inline int countersign_brotli_decode(void *decoder, const uint8_t **input, size_t *left, uint8_t **output, size_t *room) {
    int (*decode)(void *, size_t *, const uint8_t **, size_t *, uint8_t **, size_t *) =
        countersign_coding_symbol(COUNTERSIGN_BROTLI, "BrotliDecoderDecompressStream");
    if (decode == NULL) return COUNTERSIGN_CODING_FAILED;
    // BrotliDecoderResult: error, success, needs more input, needs more output.
    int result = decode(decoder, left, input, room, output, NULL);
    return result < 2 ? result : COUNTERSIGN_CODING_GOES_ON;
}

static inline void countersign_brotli_end(void *decoder) {
    void (*destroy)(void *) = countersign_coding_symbol(COUNTERSIGN_BROTLI, "BrotliDecoderDestroyInstance");
    if (destroy != NULL) destroy(decoder);
}

static inline int countersign_has_zstd(void) {
    return countersign_coding_symbol(COUNTERSIGN_ZSTD, "ZSTD_decompressStream") != NULL;
}

static inline void *countersign_zstd_begin(void) {
    void *(*create)(void) = countersign_coding_symbol(COUNTERSIGN_ZSTD, "ZSTD_createDStream");
    size_t (*set)(void *, int, int) = countersign_coding_symbol(COUNTERSIGN_ZSTD, "ZSTD_DCtx_setParameter");
    void *decoder = create == NULL ? NULL : create();
    // ZSTD_d_windowLogMax: 8 MiB, as browsers allow (RFC 9659, section 3).
    if (decoder != NULL && set != NULL) set(decoder, 100, 23);
    return decoder;
}

static inline int countersign_zstd_decode(void *decoder, const uint8_t **input, size_t *left, uint8_t **output, size_t *room) {
    typedef struct { const void *bytes; size_t size; size_t position; } source;
    typedef struct { void *bytes; size_t size; size_t position; } target;
    size_t (*decode)(void *, target *, source *) = countersign_coding_symbol(COUNTERSIGN_ZSTD, "ZSTD_decompressStream");
    unsigned (*is_error)(size_t) = countersign_coding_symbol(COUNTERSIGN_ZSTD, "ZSTD_isError");
    if (decode == NULL || is_error == NULL) return COUNTERSIGN_CODING_FAILED;
    source from = {*input, *left, 0};
    target to = {*output, *room, 0};
    size_t result = decode(decoder, &to, &from);
    *input += from.position;
    *left -= from.position;
    *output += to.position;
    *room -= to.position;
    if (is_error(result)) return COUNTERSIGN_CODING_FAILED;
    return result == 0 ? COUNTERSIGN_CODING_ENDED : COUNTERSIGN_CODING_GOES_ON;
}

static inline void countersign_zstd_end(void *decoder) {
    size_t (*destroy)(void *) = countersign_coding_symbol(COUNTERSIGN_ZSTD, "ZSTD_freeDStream");
    if (destroy != NULL) destroy(decoder);
}

#endif
