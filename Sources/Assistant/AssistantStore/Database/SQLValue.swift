import Clocks
import Encodings
import Foundation

/// A value that a statement is given. Each driver writes it in its database's own type.
package enum SQLValue: Sendable, Hashable {
    case null
    case integer(Int)
    case bool(Bool)
    case text(String)
    case bytes([UInt8])
    case uuid(UUID)
    /// A moment, kept to the millisecond.
    case time(Date)
    case texts([String])
    case json(JSONValue)

    package static func optional(_ time: Date?) -> SQLValue { time.map(SQLValue.time) ?? .null }
    package static func optional(_ text: String?) -> SQLValue { text.map(SQLValue.text) ?? .null }
    package static func optional(_ bytes: [UInt8]?) -> SQLValue { bytes.map(SQLValue.bytes) ?? .null }

    /// The text that both databases keep for a list, a document or a moment, where they have no type of their own.
    var portableText: String? {
        switch self {
        case .text(let text): text
        case .uuid(let id): id.uuidString.lowercased()
        case .time(let time): Timestamp(time).description
        case .texts(let texts): JSONValue.array(texts.map(JSONValue.string)).compactText()
        case .json(let json): json.compactText()
        case .null, .integer, .bool, .bytes: nil
        }
    }
}

/// A row of an answer, read by column name.
package struct SQLRow: Sendable {
    /// The forms in which a driver hands over a cell. Moments are in the form of ``Timestamp``, lists in JSON.
    package enum Cell: Sendable, Hashable {
        case null
        case integer(Int)
        case text(String)
        case bytes([UInt8])
    }

    private let cells: [String: Cell]

    package init(_ cells: [String: Cell]) {
        self.cells = cells
    }

    package func text(_ column: String) throws(AssistantStoreError) -> String {
        try value(column) { if case .text(let text) = $0 { text } else { nil } }
    }

    package func integer(_ column: String) throws(AssistantStoreError) -> Int {
        try value(column) { if case .integer(let number) = $0 { number } else { nil } }
    }

    package func bool(_ column: String) throws(AssistantStoreError) -> Bool { try integer(column) != 0 }

    package func bytes(_ column: String) throws(AssistantStoreError) -> [UInt8] {
        try value(column) { if case .bytes(let bytes) = $0 { bytes } else { nil } }
    }

    package func uuid(_ column: String) throws(AssistantStoreError) -> UUID {
        try value(column) { if case .text(let text) = $0 { UUID(uuidString: text) } else { nil } }
    }

    package func time(_ column: String) throws(AssistantStoreError) -> Date {
        try value(column) { if case .text(let text) = $0 { Timestamp(text)?.date } else { nil } }
    }

    package func texts(_ column: String) throws(AssistantStoreError) -> [String] {
        try value(column) { cell -> [String]? in
            guard case .text(let text) = cell, let items = (try? JSONReader.read(text))?.arrayValue else { return nil }
            let texts = items.compactMap(\.stringValue)
            return texts.count == items.count ? texts : nil
        }
    }

    package func json(_ column: String) throws(AssistantStoreError) -> JSONValue {
        try value(column) { if case .text(let text) = $0 { try? JSONReader.read(text) } else { nil } }
    }

    package func optional<Value>(
        _ column: String, _ read: (SQLRow, String) throws(AssistantStoreError) -> Value
    ) throws(AssistantStoreError) -> Value? {
        cells[column] == .null ? nil : try read(self, column)
    }

    private func value<Value>(_ column: String, _ read: (Cell) -> Value?) throws(AssistantStoreError) -> Value {
        guard let value = cells[column].flatMap(read) else {
            throw AssistantStoreError(.damaged, "the column “\(column)” holds a value of another type than it should")
        }
        return value
    }
}
