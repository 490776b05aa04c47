#ifndef COUNTERSIGN_CZBAR_H
#define COUNTERSIGN_CZBAR_H

#include <dlfcn.h>
#include <iconv.h>
#include <stddef.h>

// libzbar is loaded when a picture is read, and not linked: it brings fifteen libraries with it, X11, D-Bus and systemd
// among them, which otherwise every start would load, and every process with secrets would contain.
//
// Budget: 45 MB of peak memory for a cold fetch.

#if defined(__APPLE__)
#define COUNTERSIGN_ZBAR "libzbar.0.dylib"
#else
#define COUNTERSIGN_ZBAR "libzbar.so.0"
#endif

enum { COUNTERSIGN_ZBAR_UNUSABLE = -1, COUNTERSIGN_ZBAR_FAILED = -2 };

/// Loads libzbar, for a process that can open no file later, with the converters of texts that it uses.
static inline void countersign_zbar_load(void) {
    if (dlopen(COUNTERSIGN_ZBAR, RTLD_NOW | RTLD_LOCAL) == NULL) return;
    // qr_code_data_extract_text in libzbar 0.23. Never closed: the C library unloads a converter that is not in use.
    static const char *const names[] = {
        "ISO8859-1", "ISO8859-2", "ISO8859-3", "ISO8859-4", "ISO8859-5", "ISO8859-6", "ISO8859-7", "ISO8859-8",
        "ISO8859-9", "ISO8859-10", "ISO8859-11", "ISO8859-13", "ISO8859-14", "ISO8859-15", "ISO8859-16", "CP437",
        "SJIS", "BIG5",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) (void)iconv_open("UTF-8", names[i]);
}

/// Takes the text of a code. The bytes are libzbar's.
typedef void (*countersign_zbar_take)(const char *text, unsigned length, void *context);

/// Reads the QR codes, dark on light or light on dark, in a picture with a byte for each pixel.
///
/// Returns how many there are, or COUNTERSIGN_ZBAR_UNUSABLE when libzbar cannot be loaded; dlerror() tells why.
static inline int countersign_zbar_read(
    const void *pixels, unsigned width, unsigned height, countersign_zbar_take take, void *context) {
    // Never unloaded: libraries such as those for X11 and D-Bus do not expect it.
    void *library = dlopen(COUNTERSIGN_ZBAR, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return COUNTERSIGN_ZBAR_UNUSABLE;
    // As zbar.h of libzbar 0.23 declares them, with its structures as void.
    void *(*create_scanner)(void) = dlsym(library, "zbar_image_scanner_create");
    void (*destroy_scanner)(void *) = dlsym(library, "zbar_image_scanner_destroy");
    int (*set_config)(void *, int, int, int) = dlsym(library, "zbar_image_scanner_set_config");
    void *(*create_image)(void) = dlsym(library, "zbar_image_create");
    void (*destroy_image)(void *) = dlsym(library, "zbar_image_destroy");
    void (*set_format)(void *, unsigned long) = dlsym(library, "zbar_image_set_format");
    void (*set_size)(void *, unsigned, unsigned) = dlsym(library, "zbar_image_set_size");
    void (*set_data)(void *, const void *, unsigned long, void (*)(void *)) = dlsym(library, "zbar_image_set_data");
    int (*scan)(void *, void *) = dlsym(library, "zbar_scan_image");
    const void *(*first_symbol)(const void *) = dlsym(library, "zbar_image_first_symbol");
    const void *(*next_symbol)(const void *) = dlsym(library, "zbar_symbol_next");
    const char *(*text_of)(const void *) = dlsym(library, "zbar_symbol_get_data");
    unsigned (*length_of)(const void *) = dlsym(library, "zbar_symbol_get_data_length");
    if (!create_scanner || !destroy_scanner || !set_config || !create_image || !destroy_image || !set_format ||
        !set_size || !set_data || !scan || !first_symbol || !next_symbol || !text_of || !length_of)
        return COUNTERSIGN_ZBAR_UNUSABLE;

    enum { every_kind = 0, qr_code = 64 };            // zbar_symbol_type_t
    enum { is_enabled = 0, tries_inverted = 0x81 };   // zbar_config_t
    const unsigned long grey = 'Y' | '8' << 8 | '0' << 16 | '0' << 24;
    void *scanner = create_scanner(), *image = create_image();
    int count = COUNTERSIGN_ZBAR_FAILED;
    if (scanner != NULL && image != NULL) {
        set_config(scanner, every_kind, is_enabled, 0);
        set_config(scanner, qr_code, is_enabled, 1);
        set_config(scanner, every_kind, tries_inverted, 1);
        set_format(image, grey);
        set_size(image, width, height);
        set_data(image, pixels, (unsigned long)width * height, NULL);
        count = 0;
        if (scan(scanner, image) > 0)
            for (const void *symbol = first_symbol(image); symbol != NULL; symbol = next_symbol(symbol)) {
                if (text_of(symbol) == NULL) continue;
                take(text_of(symbol), length_of(symbol), context);
                count++;
            }
    }
    if (image != NULL) destroy_image(image);
    if (scanner != NULL) destroy_scanner(scanner);
    return count;
}

#undef COUNTERSIGN_ZBAR

#endif
