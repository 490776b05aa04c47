#ifndef COUNTERSIGN_CLIBCURL_H
#define COUNTERSIGN_CLIBCURL_H

#include <curl/curl.h>
#include <limits.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <string.h>

// curl_easy_setopt and curl_easy_getinfo are variadic, which Swift cannot call. There is one shim for each argument
// type.

typedef size_t (*countersign_curl_data)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode countersign_curl_set_long(CURL *handle, CURLoption option, long value) { return curl_easy_setopt(handle, option, value); }
static inline CURLcode countersign_curl_set_off(CURL *handle, CURLoption option, curl_off_t value) { return curl_easy_setopt(handle, option, value); }
static inline CURLcode countersign_curl_set_text(CURL *handle, CURLoption option, const char *value) { return curl_easy_setopt(handle, option, value); }
static inline CURLcode countersign_curl_set_pointer(CURL *handle, CURLoption option, void *value) { return curl_easy_setopt(handle, option, value); }
static inline CURLcode countersign_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) { return curl_easy_setopt(handle, option, value); }
static inline CURLcode countersign_curl_set_data(CURL *handle, CURLoption option, countersign_curl_data value) { return curl_easy_setopt(handle, option, value); }
static inline CURLcode countersign_curl_set_bytes(CURL *handle, CURLoption option, const void *value) { return curl_easy_setopt(handle, option, value); }
static inline CURLcode countersign_curl_set_before_request(CURL *handle, curl_prereq_callback value) { return curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, value); }
static inline CURLcode countersign_curl_set_open_socket(CURL *handle, curl_opensocket_callback value) { return curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, value); }
static inline CURLcode countersign_curl_get_long(CURL *handle, CURLINFO info, long *value) { return curl_easy_getinfo(handle, info, value); }
static inline CURLcode countersign_curl_get_off(CURL *handle, CURLINFO info, curl_off_t *value) { return curl_easy_getinfo(handle, info, value); }
static inline CURLcode countersign_curl_get_text(CURL *handle, CURLINFO info, char **value) { return curl_easy_getinfo(handle, info, value); }
static inline CURLcode countersign_curl_get_list(CURL *handle, CURLINFO info, struct curl_slist **value) { return curl_easy_getinfo(handle, info, value); }
static inline CURLMcode countersign_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) { return curl_multi_setopt(multi, option, value); }


// Makes a share object for the Public Suffix List only. Returns NULL when libcurl does not support the list.
static inline CURLSH *countersign_curl_share_suffixes(curl_lock_function lock, curl_unlock_function unlock, void *locks) {
    CURLSH *share = curl_share_init();
    if (share == NULL) return NULL;
    if (curl_share_setopt(share, CURLSHOPT_LOCKFUNC, lock) == CURLSHE_OK && curl_share_setopt(share, CURLSHOPT_UNLOCKFUNC, unlock) == CURLSHE_OK &&
        curl_share_setopt(share, CURLSHOPT_USERDATA, locks) == CURLSHE_OK && curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_PSL) == CURLSHE_OK) {
        return share;
    }
    curl_share_cleanup(share);
    return NULL;
}

static inline const curl_version_info_data *countersign_curl_version(void) { return curl_version_info(CURLVERSION_NOW); }

// Whether libcurl uses OpenSSL, so that OpenSSL objects can be handed to it.
static inline int countersign_curl_has_openssl(void) {
    const char *library = curl_version_info(CURLVERSION_NOW)->ssl_version;
    return library != NULL && strncmp(library, "OpenSSL/", 8) == 0;
}

typedef struct countersign_curl_authorities countersign_curl_authorities;

static inline void countersign_curl_free_authorities(countersign_curl_authorities *authorities) {
    sk_X509_INFO_pop_free((STACK_OF(X509_INFO) *)authorities, X509_INFO_free);
}

// Reads what X509_load_cert_crl_file reads, without a store to put it in. Returns NULL when there is nothing to read.
static inline countersign_curl_authorities *countersign_curl_read_authorities(const void *pem, size_t size) {
    if (size > INT_MAX || !countersign_curl_has_openssl()) return NULL;
    BIO *source = BIO_new_mem_buf(pem, (int)size);
    if (source == NULL) return NULL;
    STACK_OF(X509_INFO) *parts = PEM_X509_INFO_read_bio(source, NULL, NULL, (void *)"");
    BIO_free(source);
    int found = 0;
    for (int index = 0; index < sk_X509_INFO_num(parts); index++) {
        const X509_INFO *part = sk_X509_INFO_value(parts, index);
        if (part->x509 != NULL || part->crl != NULL) found = 1;
    }
    if (found) return (countersign_curl_authorities *)parts;
    sk_X509_INFO_pop_free(parts, X509_INFO_free);
    return NULL;
}

static CURLcode countersign_curl_add_authorities(CURL *handle, void *tls, void *authorities) {
    (void)handle;
    X509_STORE *store = SSL_CTX_get_cert_store((SSL_CTX *)tls);
    STACK_OF(X509_INFO) *parts = (STACK_OF(X509_INFO) *)authorities;
    for (int index = 0; index < sk_X509_INFO_num(parts); index++) {
        const X509_INFO *part = sk_X509_INFO_value(parts, index);
        if (part->x509 != NULL && X509_STORE_add_cert(store, part->x509) != 1) return CURLE_SSL_CACERT_BADFILE;
        if (part->crl != NULL && X509_STORE_add_crl(store, part->crl) != 1) return CURLE_SSL_CACERT_BADFILE;
    }
    return CURLE_OK;
}

// Adds authorities to those that libcurl reads itself. They must outlive the handle's connections.
static inline CURLcode countersign_curl_trust(CURL *handle, countersign_curl_authorities *authorities) {
    CURLcode result = curl_easy_setopt(handle, CURLOPT_SSL_CTX_DATA, authorities);
    if (result == CURLE_OK) result = curl_easy_setopt(handle, CURLOPT_SSL_CTX_FUNCTION, countersign_curl_add_authorities);
    return result;
}

// The leaf certificates that a handshake accepts, by the SHA-256 of their DER, and the certificate it saw.
typedef struct {
    const unsigned char *digests; // 32 bytes each
    size_t count;
    unsigned char seen[32];
    int has_seen;
    int has_refused;
} countersign_curl_pins;

// Replaces OpenSSL's verification of the chain (SSL_CTX_set_cert_verify_callback), and so runs within the handshake.
static int countersign_curl_check_pins(X509_STORE_CTX *store, void *context) {
    countersign_curl_pins *pins = (countersign_curl_pins *)context;
    X509 *leaf = X509_STORE_CTX_get0_cert(store);
    unsigned int length = 0;
    pins->has_seen = leaf != NULL && X509_digest(leaf, EVP_sha256(), pins->seen, &length) == 1 && length == sizeof pins->seen;
    for (size_t index = 0; pins->has_seen && index < pins->count; index++) {
        if (memcmp(pins->digests + index * sizeof pins->seen, pins->seen, sizeof pins->seen) != 0) continue;
        X509_STORE_CTX_set_error(store, X509_V_OK);
        return 1;
    }
    pins->has_refused = 1;
    X509_STORE_CTX_set_error(store, X509_V_ERR_APPLICATION_VERIFICATION);
    return 0;
}

static CURLcode countersign_curl_install_pins(CURL *handle, void *tls, void *pins) {
    (void)handle;
    SSL_CTX_set_cert_verify_callback((SSL_CTX *)tls, countersign_curl_check_pins, pins);
    return CURLE_OK;
}

// The pins must outlive the handle's connections. Fails when libcurl does not use OpenSSL.
static inline CURLcode countersign_curl_pin(CURL *handle, countersign_curl_pins *pins) {
    if (!countersign_curl_has_openssl()) return CURLE_NOT_BUILT_IN;
    CURLcode result = curl_easy_setopt(handle, CURLOPT_SSL_CTX_DATA, pins);
    if (result == CURLE_OK) result = curl_easy_setopt(handle, CURLOPT_SSL_CTX_FUNCTION, countersign_curl_install_pins);
    // The pin is the certificate itself, so its name does not matter.
    if (result == CURLE_OK) result = curl_easy_setopt(handle, CURLOPT_SSL_VERIFYHOST, 0L);
    return result;
}

// The members of CURLMsg's union that are used.
static inline CURLcode countersign_curl_result(const CURLMsg *message) { return message->data.result; }

#endif
