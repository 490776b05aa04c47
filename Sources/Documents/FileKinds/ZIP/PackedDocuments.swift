import Encodings

/// The documents in a ZIP archive. Each is unpacked and checked when it is asked for, so that a bad one costs no other.
///
///     let archive = try PackedDocuments(bytes)
///     for name in archive.names(containing: "2025-11") { print(try archive.document(named: name).kind) }
package struct PackedDocuments: Sendable {
    private let entries: ZIPEntries
    private let limits: FileLimits

    /// Reads the archive's directory, and checks its names, sizes and places. Nothing is unpacked.
    ///
    /// - Throws: ``FileRefusal`` for what is not an archive, or for one that is beyond the limits.
    package init(_ bytes: [UInt8], limits: FileLimits = FileLimits()) throws(FileRefusal) {
        guard bytes.count <= limits.size else {
            throw FileRefusal(
                .tooLarge, "the file has \(bytes.count) bytes, and a document has at most \(limits.size)")
        }
        let seen = SeenFile.look(at: bytes, seeking: .zip)
        guard seen.kind == .zip else {
            throw FileRefusal(.wrongKind, "the file is \(seen.words), not \(FileKind.zip.words); download it again")
        }
        entries = try ZIPEntries(bytes, limits: limits)
        self.limits = limits
    }

    /// The paths of the files, without those of folders. None leads out of the archive.
    package var names: [String] { entries.entries.filter { !$0.isFolder }.map(\.name) }

    /// Returns the paths that contain a text. Case does not matter, and digits that go on do not count: `2025-1` is not in
    /// `2025-11.pdf`.
    package func names(containing text: String) -> [String] { Self.names(names, containing: text) }

    static func names(_ names: [String], containing text: String) -> [String] {
        let wanted = text.lowercased()
        return names.filter { $0.lowercased().containsWhole(wanted) }
    }

    /// Unpacks a file, whatever it is.
    ///
    /// - Throws: ``FileRefusal`` for a file that is missing or not as announced.
    package func bytes(named name: String) throws(FileRefusal) -> [UInt8] {
        guard let entry = entries.entry(name) else {
            throw FileRefusal(.damaged, "the archive has no file \(name); download it again")
        }
        return try entries.content(of: entry)
    }

    /// Unpacks a file and checks that it is a document.
    ///
    /// - Throws: ``FileRefusal`` for a file that is missing, not as announced, or not a document.
    package func document(named name: String) throws(FileRefusal) -> CheckedFile {
        let checked = try FileCheck.check(bytes(named: name), limits: limits)
        guard checked.kind != .zip else {
            throw FileRefusal(.forbidden, "the archive holds another archive, \(name); get its files one by one")
        }
        return checked
    }
}

extension String {
    /// Returns true if the text occurs where no digit goes on before or after a digit of it. No text contains the empty text.
    fileprivate func containsWhole(_ wanted: String) -> Bool {
        let (all, sought) = (Array(utf8), Array(wanted.utf8))
        guard let first = sought.first, let last = sought.last else { return false }
        var start = 0
        while let place = firstOffset(of: wanted, from: start) {
            let end = place + sought.count
            let goesOn =
                place > 0 && first.isDigit && all[place - 1].isDigit
                || end < all.count && last.isDigit && all[end].isDigit
            if !goesOn { return true }
            start = place + 1
        }
        return false
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
