import Clocks
import Encodings
import Machine

/// Checks the files of one sender in a process without rights, as ``FileCheck`` does in this one.
///
///     let files = ForeignFiles()
///     let checked = try files.check(bytes, as: .camt)
///
/// The libraries that read compression and XML are written in C, and a bank's file is a stranger's: a process with a vault or
/// a broker's secrets checks through this. Its calls block. The reading process starts with the first of them and ends with
/// this object, so use one object for each bank's run.
package final class ForeignFiles: Sendable {
    private let reader: ConfinedReader

    package convenience init() { self.init(ConfinedReader(for: FileTask.self)) }

    package init(_ reader: ConfinedReader) { self.reader = reader }

    /// Starts the reading process, so that it is ready when a file arrives.
    package func start() { reader.start() }

    /// Checks a file; see ``FileCheck/check(_:as:limits:)``.
    ///
    /// - Throws: ``FileRefusal``, with the code ``FileRefusal/Code/unread`` when the reading process failed.
    package func check(
        _ bytes: [UInt8], as expected: FileKind? = nil, limits: FileLimits = FileLimits()
    ) throws(FileRefusal) -> CheckedFile {
        guard bytes.count <= limits.size else {
            throw FileRefusal(
                .tooLarge, "the file has \(bytes.count) bytes, and a document has at most \(limits.size)")
        }
        var order: [String: JSONValue] = ["call": "check", "limits": FileFacts.json(of: limits)]
        order["kind"] = expected.map { .string($0.rawValue) }
        let answer = try answer(order, on: bytes)
        // What the reader leaves unchanged is not taken from it.
        guard let facts = answer.facts["file"], let file = FileFacts.file(facts, answer.pieces.first ?? bytes),
            expected == nil || file.kind == expected, file.isChanged == (answer.pieces.count == 1),
            file.bytes.count <= limits.size
        else { throw Self.senseless }
        return file
    }

    /// Unpacks an archive; see ``FileCheck/documents(inZIP:limits:)``.
    ///
    /// - Throws: ``FileRefusal``.
    package func documents(inZIP bytes: [UInt8]) throws(FileRefusal) -> [CheckedFile] {
        let answer = try answer(["call": "unpack"], on: bytes)
        let facts = answer.facts["files"]?.arrayValue ?? []
        let files = zip(facts, answer.pieces).compactMap { FileFacts.file($0, $1) }
        guard answer.facts["files"] != nil, files.count == answer.pieces.count, files.count == facts.count else {
            throw Self.senseless
        }
        return files
    }

    /// Reads an archive's directory; see ``PackedDocuments``.
    ///
    /// - Throws: ``FileRefusal``.
    package func archive(_ bytes: [UInt8]) throws(FileRefusal) -> ForeignArchive {
        guard let names = try answer(["call": "names"], on: bytes).facts["names"]?.arrayValue else {
            throw Self.senseless
        }
        return ForeignArchive(names: names.compactMap(\.stringValue), bytes: bytes, files: self)
    }

    fileprivate func parts(
        _ names: [String], of bytes: [UInt8]
    ) throws(FileRefusal) -> [Result<CheckedFile, FileRefusal>] {
        let answer = try answer(["call": "parts", "names": .array(names.map(JSONValue.string))], on: bytes)
        guard let facts = answer.facts["files"]?.arrayValue, facts.count == names.count else { throw Self.senseless }
        var pieces = answer.pieces[...]
        var parts: [Result<CheckedFile, FileRefusal>] = []
        for fact in facts {
            if let refusal = FileFacts.refusal(fact["refusal"]) {
                parts.append(.failure(refusal))
            } else if let piece = pieces.popFirst(), let file = FileFacts.file(fact, piece) {
                parts.append(.success(file))
            } else {
                throw Self.senseless
            }
        }
        return parts
    }

    /// Reads the text of a file that is not a PDF; see ``FileText``.
    ///
    /// - Throws: ``FileRefusal``.
    package func text(of bytes: [UInt8], _ kind: FileKind) throws(FileRefusal) -> String {
        let answer = try answer(["call": "text", "kind": .string(kind.rawValue)], on: bytes)
        guard answer.pieces.count == 1 else { throw Self.senseless }
        return String(decoding: answer.pieces[0], as: UTF8.self)
    }

    /// Returns whether a file has bookings in a month; see ``CheckedFile/hasBookings(in:)``.
    ///
    /// - Throws: ``FileRefusal`` when the reading process failed.
    package func hasBookings(in month: MonthYear, _ file: CheckedFile) throws(FileRefusal) -> Bool? {
        let order: [String: JSONValue] = [
            "call": "bookings", "kind": .string(file.kind.rawValue), "month": .string("\(month)"),
        ]
        return try answer(order, on: file.bytes).facts["has"]?.boolValue
    }

    private func answer(_ order: [String: JSONValue], on bytes: [UInt8]) throws(FileRefusal) -> ConfinedAnswer {
        let answer: ConfinedAnswer
        do throws(ConfinedReaderError) {
            answer = try reader.perform(.object(order), on: bytes)
        } catch {
            throw FileRefusal(.unread, Self.plugin(reading: order).map { "\($0): \(error)" } ?? error.description)
        }
        if let refusal = FileFacts.refusal(answer.facts["refusal"]) { throw refusal }
        return answer
    }

    /// The plug-in that reads the files of an order's kind; nil for a kind that ships.
    private static func plugin(reading order: [String: JSONValue]) -> String? {
        guard let kind = order["kind"]?.stringValue.flatMap(FileKind.init(rawValue:)), let origin = kind.origin else {
            return nil
        }
        return "the file kind “\(kind)” of \(origin.module) failed"
    }

    private static let senseless = FileRefusal(
        .unread, ConfinedReaderError.malformed("it is not about the file that was asked for").description)
}

/// A ZIP archive whose files a confined process unpacks.
package struct ForeignArchive: Sendable {
    /// The paths of the files; see ``PackedDocuments/names``.
    package let names: [String]
    private let bytes: [UInt8]
    private let files: ForeignFiles

    fileprivate init(names: [String], bytes: [UInt8], files: ForeignFiles) {
        (self.names, self.bytes, self.files) = (names, bytes, files)
    }

    /// Returns the paths that contain a text; see ``PackedDocuments/names(containing:)``.
    package func names(containing text: String) -> [String] { PackedDocuments.names(names, containing: text) }

    /// Unpacks files and checks each; see ``PackedDocuments/document(named:)``. Blocks.
    ///
    /// - Throws: ``FileRefusal`` when the archive cannot be read at all.
    package func documents(named names: [String]) throws(FileRefusal) -> [Result<CheckedFile, FileRefusal>] {
        names.isEmpty ? [] : try files.parts(names, of: bytes)
    }
}
