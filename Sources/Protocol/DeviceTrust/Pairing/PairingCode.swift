import Foundation
import Secrets

/// The code that a person reads off one screen and types at the other: the session's number and 40 random bits, as in
/// `17-ABCD-EFGH`.
///
/// Crockford's Base32 leaves out I, L, O and U. Readers take letters that look like 1 and 0 for those, in either case.
/// Five wrong tries end the session, so forty bits cannot be guessed at the broker. A machine that answers in the broker's
/// place can try one code in each attempt of the phone, and learns nothing for a search offline (``CodeAgreement``).
package struct PairingCode: Sendable {
    package static let sessions = 1...9999
    /// The number of characters, without the session.
    package static let length = 8

    package let session: Int
    /// Eight characters in upper case.
    package let code: Secret

    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

    /// Makes a random code.
    package init(session: Int) {
        self.session = session
        var generator = SystemRandomNumberGenerator()
        let bits = UInt64.random(in: 0..<(1 << 40), using: &generator)
        code = Secret(String((0..<Self.length).map { Self.alphabet[Int(bits >> (5 * UInt64($0)) & 31)] }))
    }

    /// - Parameter code: eight characters in any spelling, with or without dashes and spaces.
    package init?(session: Int, code: String) {
        guard Self.sessions.contains(session), let code = Self.canonical(code) else { return nil }
        self.session = session
        self.code = Secret(code)
    }

    /// Reads the form of ``written``. Returns nil for anything else.
    package init?(_ text: String) {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard text.utf8.count <= 64, let dash = text.firstIndex(where: { !$0.isASCII || !$0.isNumber }),
            dash > text.startIndex,
            text[dash] == "-" || text[dash] == " ", let session = Int(text[..<dash])
        else { return nil }
        self.init(session: session, code: String(text[text.index(after: dash)...]))
    }

    private static func canonical(_ text: String) -> String? {
        let folded = text.uppercased().compactMap { character -> Character? in
            switch character {
            case "-", " ": nil
            case "I", "L": "1"
            case "O": "0"
            default: character
            }
        }
        guard folded.count == length, folded.allSatisfy(alphabet.contains) else { return nil }
        return String(folded)
    }

    /// `17-ABCD-EFGH`, for the broker's screen.
    package var written: Secret {
        code.map { "\(session)-\($0.prefix(4))-\($0.suffix(4))" }
    }
}
