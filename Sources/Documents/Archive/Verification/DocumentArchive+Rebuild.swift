import Clocks
import FileKinds
import Foundation
import Machine

/// What ``DocumentArchive/rebuild()`` did.
package struct ArchiveRebuild: Sendable, Hashable {
    /// Documents that the index did not know.
    package var added = 0
    /// Documents whose file has moved inside the archive.
    package var moved = 0
    /// Files whose content is in the archive already, under another name.
    package var duplicates: [String] = []
    /// Files that are not a document, or that cannot be read, with the reason.
    package var refused: [Refused] = []

    package struct Refused: Sendable, Hashable {
        package let path: String
        package let reason: String
    }
}

extension DocumentArchive {
    /// The documents that one transaction adds, and the bytes of their texts that wait in memory for it.
    private static let addedAtOnce = 200
    private static let textAtOnce = 16 << 20

    /// Brings the index in line with the files: adds what it does not know, and follows files that have moved inside the
    /// archive. What the template can read from a path is known again of a file; its request and its bank's file name are
    /// not. Documents whose file is missing stay known, so that they are not fetched again.
    package func rebuild() async throws -> ArchiveRebuild {
        try await BlockingWork.run { try self.rebuildBlocking() }
    }

    private func rebuildBlocking() throws -> ArchiveRebuild {
        let lock = try lock()
        defer { withExtendedLifetime(lock) {} }
        var paths: [String] = []
        try FolderWalk(root: root).visit(
            temporary: { unlink(self.root.path + "/" + $0) }, file: { paths.append($0) })
        var result = ArchiveRebuild()
        var waiting: [String: (ArchivedDocument, text: String)] = [:]
        var waitingText = 0
        func addWaiting() throws {
            try index.add(waiting.values.sorted { $0.0.path < $1.0.path })
            result.added += waiting.count
            waiting.removeAll()
            waitingText = 0
        }
        let digests = FileDigest()
        // One for all, which were checked when they were filed: a process for each would take longer than the rest.
        let files = ForeignFiles()
        // In the order of the paths, so that later months come later into the index.
        for path in paths.sorted() {
            if try index.document(atPath: path) != nil { continue }
            do {
                guard let seen = try digests.of(root.path + "/" + path) else { continue }
                if waiting[seen.sha256] != nil {
                    result.duplicates.append(path)
                } else if let known = try index.document(withDigest: seen.sha256) {
                    if try opened(known) != nil {
                        result.duplicates.append(path)
                    } else {
                        try index.setPath(path, ofDigest: known.sha256)
                        result.moved += 1
                    }
                } else {
                    let document = try read(path, seen, files)
                    waitingText += document.text.utf8.count
                    waiting[seen.sha256] = document
                    if waiting.count == Self.addedAtOnce || waitingText >= Self.textAtOnce { try addWaiting() }
                }
            } catch let error as FileError {
                result.refused.append(.init(path: path, reason: error.description))
            } catch let error as FileRefusal {
                result.refused.append(.init(path: path, reason: error.message))
            }
        }
        try addWaiting()
        try index.noteRebuild()
        return result
    }

    /// Reads what a file and its path say about a document.
    private func read(
        _ path: String, _ seen: FileDigest.Value, _ files: ForeignFiles
    ) throws -> (ArchivedDocument, text: String) {
        let file = root.appending(path: path)
        let limits = FileLimits()
        let bytes: [UInt8]
        do {
            bytes = try OpenedFile(file).bytes(atMost: limits.size)
        } catch let error as FileError where error.code == EFBIG {
            throw FileRefusal(.tooLarge, "the file is larger than \(limits.size) bytes")
        }
        // A table with unequal lines is text of no kind, unless its name says that it was filed as CSV.
        let expected: FileKind? = path.lowercased().hasSuffix(".csv") ? .csv : nil
        let checked =
            try expected.flatMap { try? files.check(bytes, as: $0, limits: limits) }
            ?? files.check(bytes, limits: limits)
        let kind = checked.kind
        let facts = template.facts(ofPath: path, kind: kind)
        let text = DocumentText.read(file, bytes, kind, files)
        let document = ArchivedDocument(
            sha256: seen.sha256, keptSHA256: seen.sha256, path: path, bytes: bytes.count, kind: kind,
            bank: facts?.bank ?? "", account: facts?.account ?? "", period: facts?.period, requestID: nil,
            originalName: nil, filedAt: Timestamp(Date()), missingText: text.problem,
            note: checked.notes.isEmpty ? nil : checked.notes.joined(separator: "; "))
        return (document, text.text)
    }
}
