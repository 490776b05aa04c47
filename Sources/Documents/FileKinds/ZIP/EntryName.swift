/// The names of a ZIP archive's entries, which must not lead out of the folder that they are unpacked into.
enum EntryName {
    /// Returns the name as text.
    ///
    /// - Throws: ``FileRefusal`` for a path that is absolute or goes up, and for control characters.
    static func checked(_ bytes: [UInt8]) throws(FileRefusal) -> String {
        // Names outside ASCII without the flag for UTF-8 are in a code page that only their maker knows.
        let written =
            String(validating: bytes, as: UTF8.self)
            ?? String(bytes.map { $0 < 0x80 ? Character(Unicode.Scalar($0)) : "_" })
        // Older programs of Windows write its own separator; PKWARE's section 4.4.17 wants the slash.
        let text = String(written.map { $0 == "\\" ? "/" : $0 })
        let shown = String(
            text.unicodeScalars.prefix(60).map { $0.value < 0x20 || $0.value == 0x7F ? Character("?") : Character($0) })
        guard (1...1024).contains(bytes.count),
            !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else {
            throw FileRefusal(.forbidden, "the archive has an entry without a usable name: “\(shown)”")
        }
        let path = text.hasSuffix("/") ? text.dropLast() : text[...]
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let leavesFolder = parts.contains { $0 == ".." || $0 == "." || $0.isEmpty }
        guard !leavesFolder, !parts[0].contains(":") else {
            throw FileRefusal(
                .forbidden, "the archive's entry “\(shown)” has a path that leads out of its folder; do not unpack it")
        }
        return text
    }
}
