#if os(Linux)
    import CLinux
    import Foundation

    /// Rights that this process gives up for good, before it touches bytes of a stranger's making.
    ///
    /// Landlock takes files, sockets and signals away, seccomp every system call that a computation does not need, and the
    /// limits bound memory, processor time, and files. None of them needs a right or a user namespace, so they work in a
    /// hardened service, too. A process that works with a stranger over the network keeps most system calls and its
    /// connections; Landlock takes files away, seccomp other programs' sockets and limits, and the modes of files.
    /// Of root nothing is left but the user's number: what root may do beside is a capability, and these are gone.
    struct Confinement {
        enum Purpose {
            /// Computes on what comes through open descriptors: no file, no program, no memory that can be executed.
            case reading
            /// Becomes a program, which reads the system's own files and its standard input, and writes its output.
            case program(String)
            /// Works with threads, connections and programs, on these files alone.
            case working(FileFence)

            var runsBrowser: Bool {
                if case .working(let fence) = self { fence.opensLocalSockets } else { false }
            }
        }

        struct Limits: Sendable {
            /// Seconds of the processor.
            var seconds = 60
            /// Bytes of address space.
            var memory = 2 << 30
        }

        /// The version of Landlock's interface that this kernel gives to this process; 0 without Landlock.
        static var landlockVersion: Int { Int(countersign_landlock_version()) }

        /// Folders and files of the system that a program needs: libraries, fonts, and poppler's tables.
        private static let systemFiles = [
            "/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/fonts", "/var/cache/fontconfig",
        ]
        /// The dynamic loaders, without which the kernel starts no program.
        static let loaders = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"]

        /// Gives the rights up. The process must have one thread: the rules hold for the calling thread and its children.
        ///
        /// - Returns: the version of Landlock's interface that holds; 0 without Landlock.
        /// - Throws: ``ConfinementError`` when a rule cannot be set. The process has to end then.
        static func enter(_ purpose: Purpose, _ limits: Limits = Limits()) throws(ConfinementError) -> Int {
            let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 1
            guard threads == 1 else { throw ConfinementError(step: "the process has \(threads) threads", code: EBUSY) }
            try check(countersign_gain_nothing(), "prctl(PR_SET_NO_NEW_PRIVS)")
            // Chromium's driver as root goes over to another user, and into a network of its own.
            if !purpose.runsBrowser { try check(countersign_drop_capabilities(), "capset") }
            let version = landlockVersion
            if version > 0 { try enterLandlock(version, purpose) }
            if case .working(let fence) = purpose {
                if !fence.opensLocalSockets {
                    // A write past the limit fails, and does not end the process.
                    signal(SIGXFSZ, SIG_IGN)
                    try limit(RLIMIT_FSIZE, to: FileFence.largestFile, "file size")
                }
                try check(countersign_seccomp_work(fence.opensLocalSockets ? 1 : 0), "seccomp")
                return version
            }
            var openFiles = 32
            if case .reading = purpose { openFiles = 4 }
            try limit(RLIMIT_AS, to: limits.memory, "memory")
            try limit(RLIMIT_CPU, to: limits.seconds, "processor")
            try limit(RLIMIT_FSIZE, to: 0, "file size")
            try limit(RLIMIT_CORE, to: 0, "core dumps")
            try limit(RLIMIT_NOFILE, to: openFiles, "open files")
            // Last: it forbids the calls above.
            if case .reading = purpose {
                try check(countersign_seccomp_enter(0), "seccomp")
            } else {
                try check(countersign_seccomp_enter(1), "seccomp")
            }
            return version
        }

        private static func enterLandlock(_ version: Int, _ purpose: Purpose) throws(ConfinementError) {
            var connects = false
            var fence = FileFence()
            switch purpose {
            case .reading: break
            case .program(let path): fence = FileFence(reads: systemFiles, runs: loaders + [path])
            case .working(let own): (connects, fence) = (true, own)
            }
            let rules = countersign_landlock_open(Int32(version), connects ? 1 : 0)
            try check(rules, "landlock_create_ruleset")
            for (files, use) in [
                (fence.reads, COUNTERSIGN_USE_READ), (fence.runs, COUNTERSIGN_USE_RUN),
                (fence.changes, COUNTERSIGN_USE_CHANGE),
            ] {
                for file in files {
                    try check(
                        countersign_landlock_allow(rules, file, Int32(use), Int32(version)), "landlock: \(file)")
                }
            }
            try check(countersign_landlock_enter(rules), "landlock_restrict_self")
        }

        private static func limit(
            _ resource: __rlimit_resource, to value: Int, _ name: String
        ) throws(ConfinementError) {
            var now = rlimit()
            getrlimit(__rlimit_resource_t(resource.rawValue), &now)
            // A limit that is lower already cannot be raised, and stays.
            let least = min(rlim_t(value), now.rlim_max)
            var limit = rlimit(rlim_cur: least, rlim_max: least)
            try check(setrlimit(__rlimit_resource_t(resource.rawValue), &limit), "setrlimit: \(name)")
        }

        private static func check(_ result: Int32, _ step: String) throws(ConfinementError) {
            guard result >= 0 else { throw ConfinementError(step: step, code: errno) }
        }
    }

    /// A right that could not be given up.
    struct ConfinementError: Error, Sendable, CustomStringConvertible {
        /// The system call, or the rule.
        let step: String
        let code: Int32

        var description: String { "\(step): \(String(cString: strerror(code)))" }
    }
#endif
