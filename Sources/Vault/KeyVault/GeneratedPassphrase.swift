import Secrets

extension Vault {
    /// Makes a random passphrase of five groups of four letters and digits, about 99 bits.
    ///
    /// The characters that look like others (i, l, o, 0, 1) do not occur.
    package static func generatedPassphrase() -> Secret {
        let characters = Array("abcdefghjkmnpqrstuvwxyz23456789".utf8)
        var generator = SystemRandomNumberGenerator()
        var text: [UInt8] = []
        for group in 0..<5 {
            if group > 0 { text.append(UInt8(ascii: "-")) }
            for _ in 0..<4 { text.append(characters[Int.random(in: 0..<characters.count, using: &generator)]) }
        }
        defer { text.wipe() }
        return Secret(bytes: text)
    }
}
