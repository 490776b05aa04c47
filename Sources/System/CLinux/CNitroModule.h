#pragma once

#include <errno.h>
#include <stddef.h>

#ifdef __linux__
#include <sys/ioctl.h>
#include <sys/uio.h>

struct nitro_module_message {
    struct iovec request;
    struct iovec response;
};

// The one call of the Nitro Secure Module's device: NSM_IOCTL_RAW in Linux's uapi/linux/nsm.h.
// `length` has the room for the response, then the bytes that were written. Returns 0, or an error number.
static inline int nitro_module_exchange(
    int device, const void *request, size_t requestLength, void *response, size_t *length)
{
    struct nitro_module_message message = {
        .request = {.iov_base = (void *)request, .iov_len = requestLength},
        .response = {.iov_base = response, .iov_len = *length},
    };
    if (ioctl(device, _IOWR(0x0A, 0, struct nitro_module_message), &message) != 0) {
        return errno;
    }
    *length = message.response.iov_len;
    return 0;
}
#else
static inline int nitro_module_exchange(
    int device, const void *request, size_t requestLength, void *response, size_t *length)
{
    (void)device, (void)request, (void)requestLength, (void)response, (void)length;
    return ENOTSUP;
}
#endif
