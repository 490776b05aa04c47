// Runs a program and reports its cost, including all descendants:
//
//     Launch [--tree] PROGRAM [ARGUMENT...]
//
// prints the wall time and the processor time in nanoseconds, and the peak memory in kilobytes. The memory is the largest
// resident set of one process; with --tree it is the peak of all processes together, sampled every few
// milliseconds, counting shared pages once (PSS). Sampling takes time, so a run measures either time or memory.

#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { most = 4096 };

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static long long nanoseconds(struct timeval time) { return time.tv_sec * 1000000000LL + time.tv_usec * 1000LL; }

static size_t read_file(const char *path, char *text, size_t room) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    ssize_t size = read(file, text, room - 1);
    close(file);
    text[size > 0 ? size : 0] = 0;
    return size > 0 ? (size_t)size : 0;
}

static pid_t parent_of(pid_t process) {
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", process);
    if (read_file(path, text, sizeof text) == 0) return 0;
    // The name in parentheses may contain anything, even parentheses.
    const char *end = strrchr(text, ')');
    int parent = 0;
    return end != NULL && sscanf(end + 1, " %*c %d", &parent) == 1 ? parent : 0;
}

static long memory_of(pid_t process) {
    char path[64], text[4096];
    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", process);
    if (read_file(path, text, sizeof text) == 0) return 0;
    const char *line = strstr(text, "\nPss:");
    return line == NULL ? 0 : atol(line + 5);
}

/// Returns the memory of all descendants of this process, in kilobytes.
static long tree_memory(void) {
    static pid_t processes[most], parents[most];
    static char is_below[most];
    int count = 0;
    DIR *folder = opendir("/proc");
    if (folder == NULL) return 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL && count < most;) {
        pid_t process = atoi(entry->d_name);
        if (process <= 0) continue;
        processes[count] = process;
        parents[count] = parent_of(process);
        is_below[count] = parents[count] == getpid();
        count++;
    }
    closedir(folder);
    for (int has_grown = 1; has_grown;) {
        has_grown = 0;
        for (int one = 0; one < count; one++)
            for (int other = 0; !is_below[one] && other < count; other++)
                if (is_below[other] && processes[other] == parents[one]) is_below[one] = has_grown = 1;
    }
    long sum = 0;
    for (int one = 0; one < count; one++)
        if (is_below[one]) sum += memory_of(processes[one]);
    return sum;
}

int main(int count, char **arguments) {
    int is_tree = count > 1 && strcmp(arguments[1], "--tree") == 0;
    char **program = arguments + 1 + is_tree;
    if (count < 2 + is_tree) {
        fprintf(stderr, "usage: Launch [--tree] PROGRAM [ARGUMENT...]\n");
        return 2;
    }
    // Orphaned descendants become children of this process, and are counted.
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    long long begun = now();
    pid_t child = fork();
    if (child == 0) {
        dup2(STDERR_FILENO, STDOUT_FILENO);
        execvp(program[0], program);
        fprintf(stderr, "Launch: %s: %s\n", program[0], strerror(errno));
        _exit(127);
    }
    int status = 0;
    long memory = 0;
    while (is_tree && waitpid(child, &status, WNOHANG) == 0) {
        long held = tree_memory();
        if (held > memory) memory = held;
        usleep(3000);
    }
    if (!is_tree) waitpid(child, &status, 0);
    long long ended = now();
    while (waitpid(-1, NULL, 0) > 0 || errno == EINTR) {}
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    printf(
        "%lld %lld %ld\n", ended - begun, nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime),
        is_tree ? memory : usage.ru_maxrss);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
