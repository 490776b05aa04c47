// The floor of a fetch: one bare libcurl handle makes the ten exchanges of a fetch from the mock bank. It knows every
// address and every field in advance and parses nothing, except that it searches for the form's token.
//
//     FetchByCurl URL AUTHORITY FOLDER         one fetch
//     FetchByCurl URL AUTHORITY FOLDER turns   one turn per line of standard input, with that many fetches at once

#define _GNU_SOURCE
#include "CBareCurl.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { most = 256 };

static const char *origin, *authority, *folder;

static void demand(int holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "FetchByCurl: %s\n", what);
    exit(1);
}

/// `page` is the path of the referring page, NULL for the first.
static long exchange(bare_curl *curl, const char *path, const char *page, const char *form) {
    char url[256], referrer[256];
    snprintf(url, sizeof url, "%s%s", origin, path);
    if (page != NULL) snprintf(referrer, sizeof referrer, "%s%s", origin, page);
    return bare_curl_exchange(curl, url, page != NULL ? referrer : NULL, form);
}

static void get(bare_curl *curl, const char *path, const char *page) {
    demand(exchange(curl, path, page, NULL) == 200, path);
}

/// Returns the token of the form on the last page.
static void read_token(const bare_curl *curl, char token[33]) {
    static const char mark[] = "name=\"_csrf\" value=\"";
    const char *place = memmem(bare_curl_body(curl), bare_curl_size(curl), mark, sizeof mark - 1);
    demand(place != NULL, "the page has no token");
    memcpy(token, place + sizeof mark - 1, 32);
    token[32] = 0;
}

static void post(
    bare_curl *curl, const char *path, const char *page, const char *token, const char *fields, long status) {
    char form[512];
    snprintf(form, sizeof form, "_csrf=%s%s", token, fields);
    demand(exchange(curl, path, page, form) == status, path);
}

static void keep(const bare_curl *curl, const char *file) {
    demand(bare_curl_size(curl) > 5 && memcmp(bare_curl_body(curl), "%PDF-", 5) == 0, "what came is no PDF");
    int descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ssize_t size = (ssize_t)bare_curl_size(curl);
    demand(descriptor >= 0 && write(descriptor, bare_curl_body(curl), size) == size, "the PDF cannot be written");
    close(descriptor);
}

static void fetch(const char *file) {
    static const char year[] = "/statements?account=everyday&year=2024";
    static const char second[] = "/statements?account=everyday&year=2024&page=2";
    char token[33];
    bare_curl *curl = bare_curl_new(authority, origin);
    get(curl, "/login", NULL);
    read_token(curl, token);
    post(curl, "/login", "/login", token, "&username=robin.ashdown&password=correct+horse", 303);
    get(curl, "/code", "/login");
    read_token(curl, token);
    post(curl, "/code", "/code", token, "&code=123456", 303);
    get(curl, "/accounts", "/code");
    get(curl, "/statements", "/accounts");
    get(curl, year, "/statements");
    get(curl, second, year);
    read_token(curl, token);
    get(curl, "/statements/everyday/2024-05", second);
    keep(curl, file);
    post(curl, "/logout", second, token, "", 200);
    bare_curl_free(curl);
}

static void *fetch_in_thread(void *number) {
    char file[512];
    snprintf(file, sizeof file, "%s/%zu.pdf", folder, (size_t)number);
    fetch(file);
    return NULL;
}

/// Deletes the files, so that the next turn creates them again.
static void remove_files(int sessions) {
    char file[512];
    for (int number = 0; number < sessions; number++) {
        snprintf(file, sizeof file, "%s/%d.pdf", folder, number);
        demand(unlink(file) == 0, "the PDF cannot be removed");
    }
}

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

/// Runs the given number of fetches at once, each on its own thread.
static void take_turn(int sessions) {
    pthread_t threads[most];
    demand(sessions > 0 && sessions <= most, "a turn is of 1 to 256 sessions");
    for (size_t number = 0; number < (size_t)sessions; number++)
        demand(pthread_create(&threads[number], NULL, fetch_in_thread, (void *)number) == 0, "there is no thread");
    for (int number = 0; number < sessions; number++) pthread_join(threads[number], NULL);
}

int main(int count, char **arguments) {
    demand(count >= 4, "usage: FetchByCurl URL AUTHORITY FOLDER [turns]");
    origin = arguments[1];
    authority = arguments[2];
    folder = arguments[3];
    if (count == 4) {
        fetch_in_thread(0);
        return 0;
    }
    char line[32];
    while (fgets(line, sizeof line, stdin) != NULL) {
        int sessions = atoi(line);
        long long begun = now();
        if (sessions == 1) fetch_in_thread(0); else take_turn(sessions);
        long long took = now() - begun;
        remove_files(sessions);
        printf("%lld\n", took);
        fflush(stdout);
    }
    return 0;
}
