#ifndef COUNTERSIGN_CPNG_H
#define COUNTERSIGN_CPNG_H

#include <png.h>
#include <stddef.h>
#include <string.h>

/* libpng's simplified interface sets its struct up with macros, which Swift does not see. */

static inline int countersign_png_begin(png_image *image, const void *bytes, size_t count) {
    memset(image, 0, sizeof *image);
    image->version = PNG_IMAGE_VERSION;
    return png_image_begin_read_from_memory(image, bytes, count);
}

/* Grey, a byte a pixel, transparent parts white. `pixels` has width * height bytes. Frees the image. */
static inline int countersign_png_finish(png_image *image, void *pixels) {
    png_color white = {255, 255, 255};
    image->format = PNG_FORMAT_GRAY;
    return png_image_finish_read(image, &white, pixels, (png_int_32)image->width, NULL);
}

static inline int countersign_png_write(
    png_uint_32 width, png_uint_32 height, const void *pixels, void *bytes, png_alloc_size_t *count) {
    png_image image;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    image.width = width;
    image.height = height;
    image.format = PNG_FORMAT_GRAY;
    return png_image_write_to_memory(&image, bytes, count, 0, pixels, (png_int_32)width, NULL);
}

#endif
