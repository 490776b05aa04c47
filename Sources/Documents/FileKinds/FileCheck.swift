import Encodings

import struct Crypto.SHA256

/// A file whose content is what it says.
package struct CheckedFile: Sendable {
    package let kind: FileKind
    /// The bytes to keep: those of the file, or of an HTML page without its scripts.
    package let bytes: [UInt8]
    /// True when ``bytes`` are not those of the file.
    package var isChanged = false
    /// The oddities of a whole file, such as bookings that cannot be read, each as a sentence.
    package var notes: [String] = []

    /// The SHA-256 of ``bytes`` in lower-case hex.
    package var sha256: String { Self.digest(of: bytes) }

    /// Returns the SHA-256 of a file's bytes in lower-case hex.
    package static func digest(of bytes: [UInt8]) -> String { Base16.encode(SHA256.hash(data: bytes)) }
}

/// Checks by its content that a file is whole and of one kind, within limits, before anything else reads it.
///
///     let checked = try FileCheck.check(bytes, as: .csv)
package enum FileCheck {
    /// Checks a file.
    ///
    /// - Parameter expected: the kind that the file must have; nil to find it out.
    /// - Throws: ``FileRefusal`` with a sentence that says what the file is, or what is wrong with it.
    package static func check(
        _ bytes: [UInt8], as expected: FileKind? = nil, limits: FileLimits = FileLimits()
    ) throws(FileRefusal) -> CheckedFile {
        guard bytes.count <= limits.size else {
            throw FileRefusal(
                .tooLarge, "the file has \(bytes.count) bytes, and a document has at most \(limits.size)")
        }
        let seen = SeenFile.look(at: bytes, seeking: expected)
        // Text may be CSV; a file with a mark of its kind is not.
        let found = seen.kind ?? (seen.isPlainText ? .csv : nil)
        guard let kind = found, expected == nil || expected == kind else {
            let wanted = expected.map { "not \($0.words)" } ?? "which no bank's document is"
            throw FileRefusal(.wrongKind, "the file is \(seen.words), \(wanted); download it again, or choose another")
        }
        let findings = try kind.check(bytes, expected != nil || !seen.isPlainText, limits)
        return CheckedFile(
            kind: kind, bytes: findings.cleaned ?? bytes, isChanged: findings.cleaned != nil, notes: findings.notes)
    }

    /// Unpacks an archive and checks each of its files. Folders, and archives inside it, are not documents.
    ///
    /// - Throws: ``FileRefusal`` for an archive or a file in it that is not what it says, or is beyond the limits.
    package static func documents(
        inZIP bytes: [UInt8], limits: FileLimits = FileLimits()
    ) throws(FileRefusal) -> [CheckedFile] {
        let archive = try PackedDocuments(bytes, limits: limits)
        var documents: [CheckedFile] = []
        for name in archive.names { documents.append(try archive.document(named: name)) }
        return documents
    }
}
