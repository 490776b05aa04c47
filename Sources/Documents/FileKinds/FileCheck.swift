import Encodings
import Machine

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
        let seen = SeenFile.look(at: bytes)
        // Text may be CSV; a file with a mark of its kind is not.
        let found = seen.kind ?? (seen.isPlainText ? .csv : nil)
        guard let kind = found, expected == nil || expected == kind else {
            let wanted = expected.map { "not \($0.words)" } ?? "which no bank's document is"
            throw FileRefusal(.wrongKind, "the file is \(seen.words), \(wanted); download it again, or choose another")
        }
        var notes: [String] = []
        switch kind {
        case .pdf: try checkPDF(bytes)
        case .csv: notes = try CSVTable.check(bytes, isExpected: expected != nil || !seen.isPlainText)
        case .camt: notes = try checkTransactions(bytes, as: .camt)
        case .mt940: notes = try checkTransactions(bytes, as: .mt940)
        case .ofx: notes = try checkTransactions(bytes, as: .ofx)
        case .qif: notes = try checkTransactions(bytes, as: .qif)
        case .xlsx: try Workbook.check(bytes, limits: limits)
        case .zip: try ZIPEntries(bytes, limits: limits).check()
        case .json: try checkJSON(bytes)
        case .html:
            let page = try CleanPage.make(of: bytes)
            return CheckedFile(kind: .html, bytes: page, isChanged: true)
        }
        return CheckedFile(kind: kind, bytes: bytes, notes: notes)
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

    private static func checkPDF(_ bytes: [UInt8]) throws(FileRefusal) {
        let end = PDFFrame.end(of: bytes)
        let frame = PDFFrame(first: Array(bytes.prefix(2048)), last: Array(bytes[..<end].suffix(2048)))
        guard let problem = frame.problem else { return }
        throw FileRefusal(.damaged, "\(problem); the PDF is cut off or damaged, so download it again")
    }

    /// Checks that the file is strict JSON (RFC 8259, RFC 7493), nested at most 64 deep.
    private static func checkJSON(_ bytes: [UInt8]) throws(FileRefusal) {
        do throws(JSONError) {
            _ = try JSONReader.read(bytes, limits: JSONLimits(size: max(1, bytes.count)))
        } catch {
            throw FileRefusal.json(error)
        }
    }

    /// Checks that the file is whole. Whether all of its bookings can be read is another question, whose answer is a note:
    /// the person gets the document in any case.
    private static func checkTransactions(
        _ bytes: [UInt8], as kind: TransactionFile.Kind
    ) throws(FileRefusal) -> [String] {
        var options = ReadingOptions()
        // QIF names no currency. XXX is ISO 4217's code for none, and lets the rest be read.
        options.currency = "XXX"
        options.skipsUnreadable = true
        do throws(ReadingError) {
            return try TransactionFile.read(bytes, as: kind, options: options).flatMap(\.notes)
        } catch {
            switch error.code {
            // The person says at the export what the format leaves open.
            case .ambiguous: return []
            case .tooLarge, .tooDeep: throw FileRefusal(.tooLarge, error.description)
            case .forbidden: throw FileRefusal(.forbidden, error.description)
            // An investment account is QIF, too.
            case .wrongKind where kind != .qif: throw FileRefusal(.wrongKind, error.description)
            case .wrongKind, .encoding, .syntax, .amount, .date, .currency:
                guard TransactionFile.isWhole(bytes, as: kind) else {
                    throw FileRefusal(.damaged, error.description)
                }
                return ["its bookings cannot be read: \(error)"]
            }
        }
    }
}
