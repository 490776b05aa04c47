import Foundation

#if os(Linux)
    import CProcess
#endif

/// Protections of a whole process that holds secrets. A program calls both functions first in its `main`, before it
/// starts a thread or a library.
public enum ProcessProtection {
    /// The variables through which TLS libraries write session keys to a file, or load settings and code.
    ///
    /// `SSLKEYLOGFILE` makes libcurl write the keys of every session, so that a recording of the network shows the
    /// password. OpenSSL reads the others: openssl-env(7).
    static let tlsVariables = [
        "SSLKEYLOGFILE", "OPENSSL_CONF", "OPENSSL_CONF_INCLUDE", "OPENSSL_MODULES", "OPENSSL_ENGINES",
    ]

    /// Removes the TLS libraries' variables from the environment, for this process and its children.
    public static func ignoreTLSVariables() {
        for name in tlsVariables { unsetenv(name) }
    }

    /// Switches core dumps off, and on Linux keeps other programs of the same user from reading this process's memory.
    ///
    /// Child processes inherit the limit of core dumps, and may be read again.
    public static func forbidMemoryDumps() {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        #if os(Linux)
            setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
            _ = countersign_set_dumpable(0)
        #else
            setrlimit(RLIMIT_CORE, &none)
        #endif
    }
}
