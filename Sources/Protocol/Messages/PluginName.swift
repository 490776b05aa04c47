/// The name by which a script or a message calls for a plug-in, such as `browser`, `vault` or the name of a kind of documents.
package enum PluginName {
    /// The most characters of a name.
    package static let longest = 40

    /// Returns whether a text is a name: a small letter, then small letters, digits and hyphens, 40 characters at most.
    package static func isValid(_ text: String) -> Bool {
        guard (1...longest).contains(text.utf8.count), let first = text.utf8.first, isLetter(first) else {
            return false
        }
        return text.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
}
