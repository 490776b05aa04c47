import Secrets

/// The smallest part of a FinTS message (FinTS 3.0, Formals, chapter B.4: “Datenelement”).
package enum DataElement: Sendable {
    case empty
    /// Text in the characters of ISO 8859-1, without escaping.
    case text(String)
    /// Bytes that are written with their length before them.
    case binary([UInt8])
    /// A PIN or a TAN on its way to the bank. Messages of the bank have no such element.
    case secret(Secret)

    /// The text; nil for bytes and secrets. An empty element has the empty text.
    package var text: String? {
        switch self {
        case .empty: ""
        case .text(let text): text
        case .binary, .secret: nil
        }
    }

    /// The number, if the element is one as the format “num” writes it: digits without a leading zero.
    package var number: Int? {
        guard let text, (1...9).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }),
            text == "0" || text.utf8.first != 48
        else { return nil }
        return Int(text)
    }

    /// The bytes; those of a text in ISO 8859-1, because some banks write documents as text. Nil for an empty element.
    package var bytes: [UInt8]? {
        switch self {
        case .binary(let bytes): bytes
        case .text(let text): Latin1.bytes(of: text)
        case .empty, .secret: nil
        }
    }

    /// True for the letter J (“ja”); false for N, and for an element that is left out.
    package var isYes: Bool { text == "J" }
}

extension DataElement {
    /// Returns an element with a text, or an empty one for an empty text.
    package static func word(_ text: String) -> DataElement { text.isEmpty ? .empty : .text(text) }

    package static func number(_ number: Int) -> DataElement { .text(String(number)) }

    package static func yes(_ answer: Bool) -> DataElement { .text(answer ? "J" : "N") }
}

/// Data elements that belong together (“Datenelementgruppe”); a single element is a group of one.
package typealias ElementGroup = [DataElement]
