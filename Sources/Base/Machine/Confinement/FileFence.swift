import Encodings

/// The files that a fenced process may open: each is a file, or a folder with everything in it. No other is there for it.
package struct FileFence: Sendable, Hashable {
    /// The files to read.
    package var reads: [String]
    /// The files to read, and to start as programs.
    package var runs: [String]
    /// The files to read and to change; in a folder also to make, rename and remove some.
    package var changes: [String]
    /// True for a process that works with a browser, which makes Unix sockets, and sets modes and times of its profile's files. The
    /// process may then connect to other programs of its user at their Unix sockets, too, and set modes and times of all of its
    /// user's files.
    package var opensLocalSockets: Bool

    /// The largest file, in bytes, that a fenced process without a browser can make.
    static let largestFile = 128 << 20

    package init(
        reads: [String] = [], runs: [String] = [], changes: [String] = [], opensLocalSockets: Bool = false
    ) {
        self.reads = reads
        self.runs = runs
        self.changes = changes
        self.opensLocalSockets = opensLocalSockets
    }

    /// Returns a fence with the files of both.
    package static func + (some: FileFence, more: FileFence) -> FileFence {
        FileFence(
            reads: some.reads + more.reads, runs: some.runs + more.runs, changes: some.changes + more.changes,
            opensLocalSockets: some.opensLocalSockets || more.opensLocalSockets)
    }

    /// The system's files that a program needs to find hosts, to check certificates, and to load its libraries.
    package static let network = FileFence(
        reads: [
            "/usr", "/lib", "/lib64", "/nix/store", "/etc/ld.so.cache", "/etc/ssl", "/etc/pki", "/etc/ca-certificates",
            // Where /etc/ssl leads on some systems.
            "/var/lib/ca-certificates",
            "/etc/crypto-policies", "/etc/resolv.conf", "/etc/hosts", "/etc/host.conf", "/etc/nsswitch.conf",
            "/etc/gai.conf", "/etc/services", "/etc/protocols", "/etc/localtime", "/etc/timezone",
            // /etc/resolv.conf is a link to one of these, which are replaced while the process runs.
            "/run/systemd/resolve", "/run/NetworkManager", "/run/resolvconf", "/sys/devices/system/cpu",
            "/dev/random", "/dev/urandom",
            // libdispatch looks at its threads there, and ends a process that cannot. Another process's secrets are not there for it:
            // a fenced process traces none but its own, and has no capability that Linux 6.13 takes for a right to look.
            "/proc",
        ], changes: ["/dev/null"])

    /// The system's files that installed programs need, such as a browser: no home, and nothing of `/var` and `/srv`.
    package static let programs = FileFence(
        reads: [
            "/etc/passwd", "/etc/group", "/etc/fonts", "/etc/machine-id", "/etc/os-release", "/etc/lsb-release",
            "/etc/debian_version", "/etc/mime.types", "/etc/chromium", "/etc/chromium.d", "/etc/chromium-browser",
            "/etc/default", "/sys", "/var/cache/fontconfig", "/run/udev",
        ],
        runs: ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/opt", "/snap", "/nix/store", "/etc/alternatives"],
        // A new user namespace is set up by writing to /proc; another process's memory is not to be had there.
        changes: ["/dev/shm", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/dri", "/proc"],
        opensLocalSockets: true)

    // MARK: From one process to another

    package var json: JSONValue {
        [
            "reads": .array(reads.map(JSONValue.string)), "runs": .array(runs.map(JSONValue.string)),
            "changes": .array(changes.map(JSONValue.string)), "opens_local_sockets": .bool(opensLocalSockets),
        ]
    }

    /// Reads what ``json`` wrote; nil for anything else.
    package init?(_ json: JSONValue) {
        func paths(_ name: String) -> [String]? {
            guard let items = json[name]?.arrayValue else { return nil }
            let paths = items.compactMap(\.stringValue).filter { $0.hasPrefix("/") }
            return paths.count == items.count ? paths : nil
        }
        guard let reads = paths("reads"), let runs = paths("runs"), let changes = paths("changes"),
            let opensLocalSockets = json["opens_local_sockets"]?.boolValue
        else { return nil }
        self.init(reads: reads, runs: runs, changes: changes, opensLocalSockets: opensLocalSockets)
    }
}
