import Foundation

#if os(Linux)
    import CLinux
#endif

/// Protections of a whole process that holds secrets. A program calls both functions first in its `main`, before it
/// starts a thread or a library.
package enum ProcessProtection {
    /// The variables through which TLS libraries write session keys to a file, or load settings and code.
    ///
    /// `SSLKEYLOGFILE` makes libcurl write the keys of every session, so that a recording of the network shows the
    /// password. OpenSSL reads the others: openssl-env(7).
    static let tlsVariables = [
        "SSLKEYLOGFILE", "OPENSSL_CONF", "OPENSSL_CONF_INCLUDE", "OPENSSL_MODULES", "OPENSSL_ENGINES",
    ]

    /// Removes the TLS libraries' variables from the environment, for this process and its children.
    package static func ignoreTLSVariables() {
        for name in tlsVariables { unsetenv(name) }
    }

    /// Switches core dumps off, and on Linux keeps other programs of the same user from reading this process's memory.
    ///
    /// Child processes inherit the limit of core dumps, and may be read again.
    package static func forbidMemoryDumps() {
        #if os(Linux)
            // No core file is as short as one byte. A program that takes dumps through a pipe, such as systemd-coredump, gets
            // them whatever the limit is, except under this one: `umh_coredump_setup` in the kernel's coredump.c.
            limitCoreDumps(to: 1)
            // Where nothing is allowed, that limit cannot be set, and a dump through a pipe has no private memory at least. Child
            // processes inherit the filter, also over execve: core(5).
            if let filter = fopen("/proc/self/coredump_filter", "w") {
                fputs("0", filter)
                fclose(filter)
            }
            _ = countersign_set_dumpable(0)
        #else
            limitCoreDumps(to: 0)
        #endif
    }

    private static func limitCoreDumps(to size: rlim_t) {
        var limit = rlimit(rlim_cur: size, rlim_max: size)
        #if os(Linux)
            // A limit that is lower already cannot be raised, and stays.
            setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
        #else
            setrlimit(RLIMIT_CORE, &limit)
        #endif
    }
}
