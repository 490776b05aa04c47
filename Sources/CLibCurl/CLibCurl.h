#ifndef COUNTERSIGN_CLIBCURL_H
#define COUNTERSIGN_CLIBCURL_H

#include <curl/curl.h>

// curl_easy_setopt and curl_easy_getinfo are variadic, which Swift cannot call; one shim for each type of argument.

typedef size_t (*countersign_curl_data)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode countersign_curl_set_long(CURL *handle, CURLoption option, long value) { return curl_easy_setopt(handle, option, value); }
static inline CURLcode countersign_curl_set_off(CURL *handle, CURLoption option, curl_off_t value) { return curl_easy_setopt(handle, option, value); }
static inline CURLcode countersign_curl_set_text(CURL *handle, CURLoption option, const char *value) { return curl_easy_setopt(handle, option, value); }
static inline CURLcode countersign_curl_set_pointer(CURL *handle, CURLoption option, void *value) { return curl_easy_setopt(handle, option, value); }
static inline CURLcode countersign_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) { return curl_easy_setopt(handle, option, value); }
static inline CURLcode countersign_curl_set_data(CURL *handle, CURLoption option, countersign_curl_data value) { return curl_easy_setopt(handle, option, value); }
static inline CURLcode countersign_curl_get_long(CURL *handle, CURLINFO info, long *value) { return curl_easy_getinfo(handle, info, value); }
static inline CURLcode countersign_curl_get_off(CURL *handle, CURLINFO info, curl_off_t *value) { return curl_easy_getinfo(handle, info, value); }
static inline CURLcode countersign_curl_get_text(CURL *handle, CURLINFO info, char **value) { return curl_easy_getinfo(handle, info, value); }
static inline CURLcode countersign_curl_get_list(CURL *handle, CURLINFO info, struct curl_slist **value) { return curl_easy_getinfo(handle, info, value); }
static inline CURLMcode countersign_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) { return curl_multi_setopt(multi, option, value); }

static inline const curl_version_info_data *countersign_curl_version(void) { return curl_version_info(CURLVERSION_NOW); }

// The members of CURLMsg's union that matter.
static inline CURLcode countersign_curl_result(const CURLMsg *message) { return message->data.result; }

#endif
