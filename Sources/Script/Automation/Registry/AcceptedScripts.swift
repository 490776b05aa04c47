import BankScript
import Encodings
import Foundation
import Machine

/// The digests of the scripts that the person has accepted, in a file of mode 0600.
///
/// A digest names exactly one script. A file that changes after it was accepted is a different script, and is refused.
public struct AcceptedScripts: Sendable, Hashable {
    public let file: URL

    public init(_ file: URL) {
        self.file = file
    }

    /// - Parameter home: the folder with the phone's state.
    public init(home: URL) {
        self.init(home.appending(path: Self.fileName))
    }

    /// The name of the list in a phone's folder.
    package static let fileName = "accepted-scripts.json"

    private struct Entry: Codable {
        var digest: String
        var bankID: String
        var name: String
        var acceptedAt: Date
        /// The words that the person saw: ``ScriptDisclosure/comparable``. Nil in a list of an earlier version.
        var disclosure: [String]?

        var acceptance: Acceptance {
            Acceptance(
                digest: ScriptDigest(hex: digest), bankID: bankID, name: name, date: acceptedAt, disclosure: disclosure)
        }
    }

    /// A script that was accepted before, as the person saw it.
    public struct Acceptance: Sendable, Hashable {
        public let digest: ScriptDigest
        public let bankID: String
        public let name: String
        public let date: Date
        /// Nil when an earlier version of this program accepted it, which kept only the digest.
        public let disclosure: [String]?
    }

    /// Returns the script for the same bank that was accepted last; nil when it is this one, or the first.
    public func previous(to script: BankScript) throws(ScriptFolderError) -> Acceptance? {
        let last = try entries().filter { $0.bankID == script.id }.max { $0.acceptedAt < $1.acceptedAt }
        guard let last, last.digest != script.digest.hex else { return nil }
        return last.acceptance
    }

    /// Returns the accepted scripts by bank, each bank's latest first.
    public func all() throws(ScriptFolderError) -> [Acceptance] {
        try entries().map(\.acceptance).sorted { ($0.bankID, $1.date) < ($1.bankID, $0.date) }
    }

    /// Returns the accepted digests; none before the file exists.
    ///
    /// - Throws: ``ScriptFolderError`` for a file that other users can open, or that is not such a list.
    public func digests() throws(ScriptFolderError) -> Set<ScriptDigest> {
        Set(try entries().map { ScriptDigest(hex: $0.digest) })
    }

    /// Accepts a script, and records the time. The bank's earlier versions are not accepted any more: a version was
    /// replaced for a reason, and anyone who can change the folder could bring it back.
    ///
    /// - Parameter keepsOthers: leaves the bank's earlier versions accepted.
    /// - Returns: the versions that are not accepted any more.
    @discardableResult
    public func accept(
        _ script: BankScript, keepingOthers keepsOthers: Bool = false, at moment: Date = Date()
    ) throws(ScriptFolderError) -> [Acceptance] {
        let before = try entries().filter { $0.digest != script.digest.hex }
        var entries = before.filter { keepsOthers || $0.bankID != script.id }
        let retired = before.filter { !keepsOthers && $0.bankID == script.id }
        entries.append(
            Entry(
                digest: script.digest.hex, bankID: script.id, name: script.name, acceptedAt: moment,
                disclosure: ScriptDisclosure(script).comparable))
        try write(entries)
        return retired.map(\.acceptance)
    }

    /// Takes back the acceptance of one version.
    ///
    /// - Parameter digest: the digest, or its first twelve or more digits.
    /// - Returns: the version; nil when no accepted version, or more than one, has such a digest.
    public func revoke(digest: String) throws(ScriptFolderError) -> Acceptance? {
        let entries = try entries()
        let matches = entries.filter {
            digest.count >= ScriptDigest.fewestDigits && $0.digest.hasPrefix(digest.lowercased())
        }
        guard matches.count == 1, let match = matches.first else { return nil }
        try write(entries.filter { $0.digest != match.digest })
        return match.acceptance
    }

    private func write(_ entries: [Entry]) throws(ScriptFolderError) {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            try PrivateFolder.make(file.deletingLastPathComponent())
            try AtomicFile.write(
                try encoder.encode(entries), to: file, temporaryName: ".accepted-\(UUID().uuidString).tmp")
        } catch {
            throw ScriptFolderError(message: "\(file.path) cannot be written: \(error)")
        }
    }

    /// The most bytes of the list: some 100,000 scripts.
    private static let largest = 32 << 20

    private func entries() throws(ScriptFolderError) -> [Entry] {
        let opened: OpenedFile
        do {
            opened = try OpenedFile(file, links: .followed)
        } catch {
            guard !FileManager.default.fileExists(atPath: file.path) else {
                throw ScriptFolderError(message: "\(file.path) cannot be read; check its owner and mode")
            }
            return []
        }
        guard opened.isPrivate else {
            throw ScriptFolderError(
                message:
                    "\(file.path) is open to other users, who could accept a script in your name; check its content, then: "
                    + "chmod 600 \(file.path)")
        }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        do {
            return try decoder.decode([Entry].self, from: Data(try opened.bytes(atMost: Self.largest)))
        } catch {
            throw ScriptFolderError(
                message: "\(file.path) is not a list of accepted scripts; move it away and accept the scripts again")
        }
    }
}
