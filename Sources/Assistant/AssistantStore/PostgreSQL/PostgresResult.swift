import CLibPQ
import Encodings
import Foundation

/// The answer to a statement.
struct PostgresResult {
    let rows: [SQLRow]
    /// The number of rows that an `INSERT`, `UPDATE` or `DELETE` has touched.
    let changes: Int

    /// Reads the answer and frees it.
    ///
    /// - Throws: ``AssistantStoreError`` for an error of the server.
    init(_ result: OpaquePointer?) throws(AssistantStoreError) {
        guard let result else { throw AssistantStoreError(.unavailable, "PostgreSQL has no memory for an answer") }
        defer { PQclear(result) }
        switch PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK: break
        default: throw AssistantStoreError(failed: result)
        }
        changes = Int(String(cString: PQcmdTuples(result))) ?? 0
        let columns = (0..<PQnfields(result)).map { (String(cString: PQfname(result, $0)), PQftype(result, $0)) }
        var rows: [SQLRow] = []
        for row in 0..<PQntuples(result) {
            var cells: [String: SQLRow.Cell] = [:]
            for (index, (name, type)) in columns.enumerated() {
                let column = Int32(index)
                if PQgetisnull(result, row, column) != 0 {
                    cells[name] = .null
                } else {
                    cells[name] = try Self.cell(String(cString: PQgetvalue(result, row, column)), type)
                }
            }
            rows.append(SQLRow(cells))
        }
        self.rows = rows
    }

    /// Reads PostgreSQL's text form of a value.
    static func cell(_ text: String, _ type: Oid) throws(AssistantStoreError) -> SQLRow.Cell {
        switch type {
        case PostgresType.int2, PostgresType.int4, PostgresType.int8:
            guard let number = Int(text) else { throw damaged(type) }
            return .integer(number)
        case PostgresType.bool: return .integer(text == "t" ? 1 : 0)
        case PostgresType.bytea:
            guard let bytes = hex(text) else { throw damaged(type) }
            return .bytes(bytes)
        // “2026-02-14 16:24:10.123+00” in UTC, which each transaction sets.
        case PostgresType.timestamptz:
            guard text.hasSuffix("+00") else { throw damaged(type) }
            return .text(text.replacing(" ", with: "T").dropLast(3) + "Z")
        case PostgresType.texts:
            guard let texts = list(text) else { throw damaged(type) }
            return .text(JSONValue.array(texts.map(JSONValue.string)).compactText())
        default: return .text(text)
        }
    }

    private static func damaged(_ type: Oid) -> AssistantStoreError {
        AssistantStoreError(.damaged, "PostgreSQL sent a value of type \(type) in an unknown form")
    }

    /// Reads `\x…`, the hex format of `bytea`.
    private static func hex(_ text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.starts(with: [0x5C, 0x78]), digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2 - 1)
        for place in stride(from: 2, to: digits.count, by: 2) {
            guard let high = value(digits[place]), let low = value(digits[place + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// Returns the value of a digit, in the lower case in which PostgreSQL writes it.
    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    /// Reads an array of one dimension (PostgreSQL's manual, section 8.15.6): `{plain,"with \"quotes\""}`.
    private static func list(_ text: String) -> [String]? {
        guard text.hasPrefix("{"), text.hasSuffix("}") else { return nil }
        var items: [String] = []
        var item = ""
        var isQuoted = false
        var hasItem = false
        var characters = text.dropFirst().dropLast().unicodeScalars.makeIterator()
        while let character = characters.next() {
            switch character {
            case "\"":
                isQuoted.toggle()
                hasItem = true
            case "\\":
                guard let escaped = characters.next() else { return nil }
                item.unicodeScalars.append(escaped)
            case "," where !isQuoted:
                items.append(item)
                item = ""
            case "{" where !isQuoted, "}" where !isQuoted: return nil
            default:
                item.unicodeScalars.append(character)
                hasItem = true
            }
        }
        guard !isQuoted else { return nil }
        if hasItem || !items.isEmpty { items.append(item) }
        return items
    }
}

extension AssistantStoreError {
    /// Reads an error of the server (PostgreSQL's manual, appendix A). The detail, which can show values, is left out.
    fileprivate init(failed result: OpaquePointer) {
        func field(_ code: Character) -> String? {
            PQresultErrorField(result, Int32(code.asciiValue ?? 0)).map { String(cString: $0) }
        }
        let state = field("C") ?? ""
        let code: Code =
            switch state {
            case "23505", "23503", "23514", "23502": .conflict
            case "40P01", "40001": .deadlock
            case "55P03", "57014", "25P03": .tooSlow
            case "53100", "53200": .full
            case "25006": .readOnly
            case "22021", "22P05": .unstorable
            case "", "57P01", "57P02", "57P03": .unavailable
            case _ where state.hasPrefix("08") || state.hasPrefix("53"): .unavailable
            default: .other
            }
        let message = field("M") ?? "the connection broke"
        self.init(code, "PostgreSQL: \(message)\(state.isEmpty ? "" : " (\(state))")")
    }
}
