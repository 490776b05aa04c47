import Foundation
import Machine

/// Measures a synchronised folder between two machines: each writes a file, waits for the other's, and says so in its own.
struct SyncProbe {
    let inbox: URL
    let limit: Duration
    private static let prefix = "countersign-doctor-"
    private static let ending = ".probe.txt"

    static func isProbe(_ name: String) -> Bool { name.hasPrefix(prefix) && name.hasSuffix(ending) }

    func finding() async -> Finding {
        let name = Self.prefix + UUID().uuidString.prefix(8).lowercased() + Self.ending
        let file = inbox.appending(path: name)
        let began = ContinuousClock.now
        defer { unlink(file.path) }
        guard (try? AtomicFile.write([0x0A], to: file)) != nil else { return failure("its own file cannot be written") }
        var other: String?
        var came: Duration = .zero
        while ContinuousClock.now - began < limit {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: inbox.path)) ?? []
            if let other {
                let answer = OpenedFile.text(of: inbox.appending(path: other), atMost: 4096)
                // The other machine removes its file when it has seen our answer.
                if answer?.contains(name) == true || !names.contains(other) {
                    return .good(
                        .inbox,
                        "the other machine's file came after \(came.formatted(.units(allowed: [.seconds, .milliseconds]))), and ours is there"
                    )
                }
            } else if let new = names.first(where: { $0 != name && isFresh($0) }) {
                (other, came) = (new, ContinuousClock.now - began)
                unlink(file.path)
                guard (try? AtomicFile.write(Array("\(new)\n".utf8), to: file)) != nil else {
                    return failure("its own file cannot be written again")
                }
            }
            try? await Task.sleep(for: .milliseconds(100))
        }
        return failure(other == nil ? "no file of the other machine came" : "the other machine did not get our file")
    }

    /// A probe that was written just now, and not one that an interrupted doctor left.
    private func isFresh(_ name: String) -> Bool {
        guard Self.isProbe(name) else { return false }
        let attributes = try? FileManager.default.attributesOfItem(atPath: inbox.appending(path: name).path)
        guard let written = attributes?[.modificationDate] as? Date else { return false }
        return abs(written.timeIntervalSinceNow) < 600
    }

    private func failure(_ what: String) -> Finding {
        .error(
            .inbox, .inboxNotSynchronised,
            "\(what) within \(limit.formatted(.units(allowed: [.minutes, .seconds], width: .wide))) in \(inbox.path)",
            remedy:
                "run countersign doctor --sync 60 on the other machine at the same time; look at the sync program's state"
        )
    }
}
