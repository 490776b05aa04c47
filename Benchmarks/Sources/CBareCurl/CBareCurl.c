#define _GNU_SOURCE
#include "CBareCurl.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bare_curl {
    CURL *handle;
    struct curl_slist *asking;
    struct curl_slist *sending;
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

static struct curl_slist *page_headers(void) {
    struct curl_slist *list = curl_slist_append(
        NULL, "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8");
    return curl_slist_append(list, "Accept-Language: en");
}

bare_curl *bare_curl_new(const char *authorities, const char *origin) {
    bare_curl *bare = calloc(1, sizeof *bare);
    bare->handle = curl_easy_init();
    char line[256];
    snprintf(line, sizeof line, "Origin: %s", origin);
    bare->asking = page_headers();
    bare->sending = curl_slist_append(page_headers(), line);
    curl_easy_setopt(bare->handle, CURLOPT_USERAGENT, "Countersign/0.1");
    if (authorities != NULL) curl_easy_setopt(bare->handle, CURLOPT_CAINFO, authorities);
    curl_easy_setopt(bare->handle, CURLOPT_COOKIEFILE, "");
    curl_easy_setopt(bare->handle, CURLOPT_ACCEPT_ENCODING, "");
    curl_easy_setopt(bare->handle, CURLOPT_WRITEFUNCTION, keep);
    curl_easy_setopt(bare->handle, CURLOPT_WRITEDATA, bare);
    return bare;
}

void bare_curl_free(bare_curl *bare) {
    curl_easy_cleanup(bare->handle);
    curl_slist_free_all(bare->asking);
    curl_slist_free_all(bare->sending);
    free(bare->buffer);
    free(bare);
}

long bare_curl_exchange(bare_curl *bare, const char *url, const char *referrer, const char *body) {
    bare->size = 0;
    curl_easy_setopt(bare->handle, CURLOPT_URL, url);
    curl_easy_setopt(bare->handle, CURLOPT_REFERER, referrer);
    curl_easy_setopt(bare->handle, CURLOPT_HTTPHEADER, body != NULL ? bare->sending : bare->asking);
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

const char *bare_curl_after(const bare_curl *bare, const char *mark, size_t most) {
    const char *body = bare_curl_body(bare), *end = body + bare_curl_size(bare);
    const char *place = memmem(body, bare_curl_size(bare), mark, strlen(mark));
    if (place == NULL || (size_t)(end - place) < strlen(mark) + most) return NULL;
    return place + strlen(mark);
}
