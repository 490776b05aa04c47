#include "CBareCurl.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

struct bare_curl {
    CURL *handle;
    char *buffer;
    size_t size;
    size_t room;
};

static size_t keep(char *data, size_t size, size_t count, void *context) {
    bare_curl *bare = context;
    size_t length = size * count;
    if (bare->size + length > bare->room) {
        size_t room = (bare->size + length) * 2;
        char *buffer = realloc(bare->buffer, room);
        if (buffer == NULL) return 0;
        bare->buffer = buffer;
        bare->room = room;
    }
    memcpy(bare->buffer + bare->size, data, length);
    bare->size += length;
    return length;
}

bare_curl *bare_curl_new(const char *authorities) {
    bare_curl *bare = calloc(1, sizeof *bare);
    bare->handle = curl_easy_init();
    if (authorities != NULL) curl_easy_setopt(bare->handle, CURLOPT_CAINFO, authorities);
    curl_easy_setopt(bare->handle, CURLOPT_COOKIEFILE, "");
    curl_easy_setopt(bare->handle, CURLOPT_ACCEPT_ENCODING, "");
    curl_easy_setopt(bare->handle, CURLOPT_WRITEFUNCTION, keep);
    curl_easy_setopt(bare->handle, CURLOPT_WRITEDATA, bare);
    return bare;
}

void bare_curl_free(bare_curl *bare) {
    curl_easy_cleanup(bare->handle);
    free(bare->buffer);
    free(bare);
}

long bare_curl_exchange(bare_curl *bare, const char *url, const char *body) {
    bare->size = 0;
    curl_easy_setopt(bare->handle, CURLOPT_URL, url);
    if (body != NULL) {
        curl_easy_setopt(bare->handle, CURLOPT_POST, 1L);
        curl_easy_setopt(bare->handle, CURLOPT_POSTFIELDS, body);
    } else {
        curl_easy_setopt(bare->handle, CURLOPT_HTTPGET, 1L);
    }
    if (curl_easy_perform(bare->handle) != CURLE_OK) return -1;
    long status = 0;
    curl_easy_getinfo(bare->handle, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

size_t bare_curl_size(const bare_curl *bare) { return bare->size; }

const char *bare_curl_body(const bare_curl *bare) { return bare->buffer; }
