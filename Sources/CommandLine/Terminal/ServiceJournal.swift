import Foundation

/// The journal of systemd, as a destination of what a program prints. Other users may read it, and it is kept for weeks, so
/// that codes do not belong there.
package enum ServiceJournal {
    /// True when standard output goes to the journal.
    package static var takesOutput: Bool {
        takes(STDOUT_FILENO, stream: ProcessInfo.processInfo.environment["JOURNAL_STREAM"])
    }

    /// Returns what a service says of an approval page, without a code.
    package static func words(onPageAt origin: String) -> String {
        "The approval page is open at \(origin). Print an address that opens it with: countersign phone address"
    }

    /// Compares a file with the device and inode that systemd names. Programs that a service starts inherit the variable,
    /// and write elsewhere (systemd.exec(5), `JOURNAL_STREAM`).
    static func takes(_ descriptor: Int32, stream: String?) -> Bool {
        var status = stat()
        guard let stream, fstat(descriptor, &status) == 0 else { return false }
        return stream == "\(status.st_dev):\(status.st_ino)"
    }
}
