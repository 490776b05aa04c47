import Automation
import Encodings
import Foundation
import Machine
import Secrets
import Terminal

/// Keeps what sources of documents need again in a file that its owner alone can read: a JSON object with a text for each bank.
struct FileSourceMemory: SourceMemory {
    /// The largest file that is read, in bytes.
    private static let largest = 1 << 20

    private let path: String
    private let file: URL

    /// - Throws: ``CommandFailure`` with status 2 for a file that others can read, or that is something else.
    init(path: String) throws {
        self.path = path
        file = URL(filePath: TypedPath.expanded(path))
        _ = try read()
    }

    func kept(forBank bankID: String) async throws -> Secret? { try read()[bankID] }

    func keep(_ value: Secret?, forBank bankID: String) async throws {
        var all = try read()
        all[bankID] = value
        var bytes = Array(JSONValue.object(all.mapValues { .string($0.revealed()) }).compactText().utf8)
        defer { bytes.wipe() }
        try AtomicFile.write(bytes, to: file)
    }

    private func read() throws -> [String: Secret] {
        guard FileManager.default.fileExists(atPath: file.path) else { return [:] }
        let opened: OpenedFile
        var bytes: [UInt8]
        do {
            opened = try OpenedFile(file)
            bytes = try opened.bytes(atMost: Self.largest)
        } catch {
            throw CommandFailure("--memory: \(error); name a file that does not exist yet", status: 2)
        }
        defer { bytes.wipe() }
        guard opened.isPrivate else {
            throw CommandFailure(
                "--memory: other users can read or write \(path), which stands in for a second factor; run: chmod 600 \(path)",
                status: 2)
        }
        let members = (try? JSONReader.read(bytes, limits: JSONLimits(size: Self.largest)))?.objectValue
        guard let members, members.values.allSatisfy({ $0.stringValue != nil }) else {
            throw CommandFailure(
                "--memory: \(path) is not a file that this command has written; name one that does not exist yet",
                status: 2)
        }
        return members.compactMapValues { $0.stringValue.map { Secret($0) } }
    }
}
