import Encodings
import Secrets

/// The number that binds a person's permission to the browser that waits for it: eight characters of Crockford's Base32, 40
/// random bits, shown as `ABCD-EFGH`.
enum ClientNumber {
    private static let letters = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

    static func make() -> Secret {
        var generator = SystemRandomNumberGenerator()
        return Secret(String((0..<8).map { _ in letters.randomElement(using: &generator) ?? "0" }))
    }

    /// Returns the text that people read.
    static func shown(_ number: Secret) -> Secret { number.map { $0.prefix(4) + "-" + $0.dropFirst(4) } }

    /// Returns a number as it was made, from what a person types: in any case, with spaces or dashes, with `O` for 0, and `I`
    /// or `L` for 1.
    static func canonical(_ typed: String) -> String {
        String(
            typed.uppercased().compactMap { letter in
                switch letter {
                case "O": "0"
                case "I", "L": "1"
                case " ", "-": nil
                default: letter
                }
            })
    }
}
