/// The form of a bank's identifier.
///
/// It becomes part of file names, vault entries and messages, so it has neither separators nor spaces.
package enum BankIdentifier {
    /// The longest identifier, in characters.
    package static let longest = 64
    static let pattern = "^[a-z0-9][a-z0-9_-]{0,63}$"
    package static let hint = "use lower-case letters, digits, - and _, e.g. my-bank"

    /// Returns whether a text is an identifier: 1 to 64 lower-case letters, digits, hyphens and underscores, the first one
    /// a letter or a digit.
    package static func isValid(_ text: String) -> Bool {
        guard (1...longest).contains(text.utf8.count), text.first != "-", text.first != "_" else { return false }
        return text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
                UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }
}
