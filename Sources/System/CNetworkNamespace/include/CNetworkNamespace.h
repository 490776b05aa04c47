#pragma once

#include <sys/types.h>

/// The steps of `countersign_open_sockets`, to say which of them failed.
enum {
    COUNTERSIGN_STEP_START = 1,
    COUNTERSIGN_STEP_ENTER,
    COUNTERSIGN_STEP_LOOPBACK,
    COUNTERSIGN_STEP_SOCKETS,
};

/// Two TCP sockets that live in the network namespace of another process.
typedef struct {
    /// Listens on a free port of 127.0.0.1.
    int listener;
    /// Is not connected yet.
    int client;
    /// The step that failed, and its `errno`; 0 after a success.
    int step;
    int error;
} countersign_sockets;

/// Opens sockets in the user and network namespaces of `process`, and brings loopback up there.
///
/// A thread cannot enter another user namespace, so a child process does it and sends the sockets back. A socket stays
/// in the namespace it was made in, also when another process uses it: so this process, outside, can serve a program
/// inside, and no other process outside can.
countersign_sockets countersign_open_sockets(pid_t process);
