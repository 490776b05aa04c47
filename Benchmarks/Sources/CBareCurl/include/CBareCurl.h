#ifndef BARE_CURL_H
#define BARE_CURL_H

#include <stddef.h>

/// One libcurl handle with an in-memory cookie jar, as little around it as can be. What it asks for has the same headers as
/// a browser session's requests have, so that the server has the same to read.
typedef struct bare_curl bare_curl;

/// `authorities` is a PEM file, NULL for plain HTTP; `origin` is where what is sent comes from.
bare_curl *bare_curl_new(const char *authorities, const char *origin);
void bare_curl_free(bare_curl *bare);

/// Makes one exchange; `referrer` is NULL for the first page, `body` for GET. Returns the status, or -1.
long bare_curl_exchange(bare_curl *bare, const char *url, const char *referrer, const char *body);

/// Bytes of the last answer's body.
size_t bare_curl_size(const bare_curl *bare);
/// The last answer's body.
const char *bare_curl_body(const bare_curl *bare);

/// Returns the place after the first `mark` in the last answer's body, NULL where fewer than `most` bytes follow it.
const char *bare_curl_after(const bare_curl *bare, const char *mark, size_t most);

#endif
