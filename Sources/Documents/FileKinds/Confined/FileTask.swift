import Clocks
import Encodings
import Machine
import Markup

/// The checks of files as the work of a process without rights: bytes in, facts and bytes out.
package enum FileTask: ConfinedTask {
    package static let name = "file"

    package static func prepare() { CharacterEncoding.loadConverters() }

    package static func perform(_ order: JSONValue, on bytes: [UInt8]) -> ConfinedAnswer {
        do throws(FileRefusal) {
            return try answer(order, on: bytes)
        } catch {
            return ConfinedAnswer(["refusal": FileFacts.json(of: error)])
        }
    }

    private static func answer(_ order: JSONValue, on bytes: [UInt8]) throws(FileRefusal) -> ConfinedAnswer {
        let kind = order["kind"]?.stringValue.flatMap(FileKind.init(rawValue:))
        let limits = FileFacts.limits(order["limits"])
        switch (order["call"]?.stringValue, kind) {
        case ("check", _):
            let file = try FileCheck.check(bytes, as: kind, limits: limits)
            return ConfinedAnswer(["file": FileFacts.json(of: file)], pieces: file.isChanged ? [file.bytes] : [])
        case ("unpack", _):
            let files = try FileCheck.documents(inZIP: bytes, limits: limits)
            return ConfinedAnswer(["files": .array(files.map(FileFacts.json))], pieces: files.map(\.bytes))
        case ("names", _):
            let names = try PackedDocuments(bytes, limits: limits).names
            return ConfinedAnswer(["names": .array(names.map(JSONValue.string))])
        case ("parts", _):
            let archive = try PackedDocuments(bytes, limits: limits)
            var (facts, pieces): ([JSONValue], [[UInt8]]) = ([], [])
            for name in order["names"]?.arrayValue?.compactMap(\.stringValue) ?? [] {
                do throws(FileRefusal) {
                    let file = try archive.document(named: name)
                    facts.append(FileFacts.json(of: file))
                    pieces.append(file.bytes)
                } catch {
                    facts.append(["refusal": FileFacts.json(of: error)])
                }
            }
            return ConfinedAnswer(["files": .array(facts)], pieces: pieces)
        case ("text", let kind?):
            let text = try FileText.text(of: bytes, kind)
            return ConfinedAnswer([:], pieces: [Array(text.utf8)])
        case ("bookings", let kind?):
            guard let month = order["month"]?.stringValue.flatMap(MonthYear.init) else { break }
            let file = CheckedFile(kind: kind, bytes: bytes)
            return ConfinedAnswer(["has": file.hasBookings(in: month).map(JSONValue.bool) ?? .null])
        default: break
        }
        throw FileRefusal(.unread, "the confined reader does not know what to do with the file")
    }
}
