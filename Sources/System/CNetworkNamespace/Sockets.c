#define _GNU_SOURCE
#include "CNetworkNamespace.h"

#include <errno.h>

#ifdef __linux__

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static int bring_up(int socket, const char *name) {
    struct ifreq request = {0};
    strncpy(request.ifr_name, name, IFNAMSIZ - 1);
    request.ifr_flags = IFF_UP | IFF_RUNNING;
    return ioctl(socket, SIOCSIFFLAGS, &request);
}

// Runs in the child of a program with threads: only system calls are safe here, no allocation.
static int prepare(int user, int network, countersign_sockets *result) {
    result->step = COUNTERSIGN_STEP_ENTER;
    if (setns(user, CLONE_NEWUSER) != 0 || setns(network, CLONE_NEWNET) != 0) return -1;
    result->step = COUNTERSIGN_STEP_LOOPBACK;
    result->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (result->listener < 0 || bring_up(result->listener, "lo") != 0) return -1;
    // A bridge without ports leads nowhere. With loopback alone Chromium tells pages that it is offline. Where the
    // kernel has no bridges, it goes on saying so; nothing else depends on it.
    if (ioctl(result->listener, SIOCBRADDBR, "nowhere") == 0) (void)bring_up(result->listener, "nowhere");
    result->step = COUNTERSIGN_STEP_SOCKETS;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (bind(result->listener, (struct sockaddr *)&address, sizeof address) != 0) return -1;
    if (listen(result->listener, 128) != 0) return -1;
    result->client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return result->client < 0 ? -1 : 0;
}

typedef union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(2 * sizeof(int))];
} control;

static void send_result(int channel, countersign_sockets *result) {
    control control = {0};
    struct iovec part = {.iov_base = result, .iov_len = sizeof *result};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (result->step == 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(2 * sizeof(int));
        int sockets[2] = {result->listener, result->client};
        memcpy(CMSG_DATA(header), sockets, sizeof sockets);
    }
    (void)!sendmsg(channel, &message, MSG_NOSIGNAL);
}

static int receive_result(int channel, countersign_sockets *result) {
    control control = {0};
    struct iovec part = {.iov_base = result, .iov_len = sizeof *result};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    ssize_t count;
    do { count = recvmsg(channel, &message, MSG_CMSG_CLOEXEC); } while (count < 0 && errno == EINTR);
    if (count != sizeof *result) return -1;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (result->step != 0) return 0;
    if (header == NULL || header->cmsg_type != SCM_RIGHTS || header->cmsg_len != CMSG_LEN(2 * sizeof(int))) return -1;
    int sockets[2];
    memcpy(sockets, CMSG_DATA(header), sizeof sockets);
    result->listener = sockets[0];
    result->client = sockets[1];
    return 0;
}

static int open_namespace(pid_t process, const char *name) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/ns/%s", (int)process, name);
    return open(path, O_RDONLY | O_CLOEXEC);
}

countersign_sockets countersign_open_sockets(pid_t process) {
    countersign_sockets result = {.listener = -1, .client = -1, .step = COUNTERSIGN_STEP_START};
    int channel[2] = {-1, -1};
    int user = open_namespace(process, "user");
    int network = open_namespace(process, "net");
    if (user >= 0 && network >= 0 && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel) == 0) {
        pid_t child = fork();
        if (child == 0) {
            if (prepare(user, network, &result) == 0) result.step = 0;
            else result.error = errno;
            send_result(channel[1], &result);
            _exit(0);
        }
        result.error = errno;
        close(channel[1]);
        if (child > 0) {
            result.error = 0;
            if (receive_result(channel[0], &result) != 0) {
                result.step = COUNTERSIGN_STEP_START;
                result.error = EIO;
            }
            while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
        }
        close(channel[0]);
    } else {
        result.error = errno;
    }
    if (user >= 0) close(user);
    if (network >= 0) close(network);
    return result;
}

#else

countersign_sockets countersign_open_sockets(pid_t process) {
    (void)process;
    return (countersign_sockets){.listener = -1, .client = -1, .step = COUNTERSIGN_STEP_START, .error = ENOTSUP};
}

#endif
