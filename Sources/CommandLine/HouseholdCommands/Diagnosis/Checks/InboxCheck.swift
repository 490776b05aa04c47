import Encodings
import Foundation
import Machine
import Terminal

/// Looks at the folder that phone and broker share: can it be written and read, and does it hold files that do not belong?
struct InboxCheck {
    let inbox: URL
    /// The time for which a file stays before it is read again.
    var pause: Duration = .milliseconds(500)

    func findings() async -> [Finding] {
        var status = stat()
        guard stat(inbox.path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            return [
                .error(
                    .inbox, .inboxMissing, "\(inbox.path) is not a folder",
                    remedy: "start the program that keeps it in sync, or make it: mkdir -p '\(inbox.path)'")
            ]
        }
        return [await writingAndReading(), unusualFiles()]
    }

    private func writingAndReading() async -> Finding {
        let probe = inbox.appending(path: ".countersign-check-\(UUID().uuidString.prefix(8)).tmp")
        let content = Array("countersign doctor \(UUID().uuidString)\n".utf8)
        defer { unlink(probe.path) }
        do {
            try AtomicFile.write(content, to: probe)
        } catch {
            return .error(
                .inbox, .inboxNotWritable, "\(error)",
                remedy: "check the owner and mode of \(inbox.path), and that its disk is not full or read-only")
        }
        try? await Task.sleep(for: pause)
        guard (try? OpenedFile(probe).bytes(atMost: 4096)) == content else {
            return .error(
                .inbox, .inboxReadsDiffer, "a file that was written to \(inbox.path) is gone or changed a moment later",
                remedy: "look at what keeps the folder in sync: it must not remove or change files")
        }
        return .good(.inbox, "a file in \(inbox.path) can be written and read")
    }

    /// The files that are neither a delivery nor what programs leave for a moment.
    private func unusualFiles() -> Finding {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: inbox.path)) ?? []
        let unusual = names.sorted().compactMap { name in reason(name, among: Set(names)).map { "\(name) (\($0))" } }
        guard !unusual.isEmpty else {
            let words = names.count == 1 ? "not unusual" : "none of them unusual"
            return .good(.inbox, "\(names.count.counted("file")) in the inbox, \(words)")
        }
        let more = unusual.count > 5 ? " and \(unusual.count - 5) more" : ""
        return .warning(
            .inbox, .inboxUnusualFiles, "unusual in the inbox: \(unusual.prefix(5).joined(separator: ", "))\(more)",
            remedy: "look at them, and move away what is not yours; the broker does not use them")
    }

    /// Returns why a file is unusual; nil for one that is not.
    private func reason(_ name: String, among names: Set<String>) -> String? {
        if name.contains(".sync-conflict-") || name.contains(" (conflicted copy") { return "a conflict of the sync" }
        if name.hasSuffix(".icloud") { return "not downloaded yet" }
        var status = stat()
        guard lstat(inbox.appending(path: name).path, &status) == 0 else { return nil }
        let age = Date.now.timeIntervalSince1970 - TimeInterval(status.st_mtim.tv_sec)
        // Sync programs keep folders of their own here, such as .stfolder.
        if name.hasPrefix(".") {
            return TemporaryNames.isTemporary(name) && age > 86_400 && !isFolder(status) ? "left over" : nil
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: return "a folder"
        case S_IFLNK: return "a link"
        default: return "not a file"
        }
        if TemporaryNames.isTemporary(name) { return age > 86_400 ? "left over" : nil }
        if status.st_nlink > 1 { return "a file with a second name" }
        if status.st_size == 0 { return "empty" }
        if name.hasSuffix(".manifest.json") || name.hasSuffix(".closing.json") { return nil }
        if SyncProbe.isProbe(name) { return age > 3_600 ? "left over" : nil }
        let manifest = name.split(separator: ".").dropLast().joined(separator: ".") + ".manifest.json"
        if names.contains(manifest) { return nil }
        return age > 3_600 ? "without a manifest" : nil
    }

    private func isFolder(_ status: stat) -> Bool { status.st_mode & S_IFMT == S_IFDIR }
}
