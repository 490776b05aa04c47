import Foundation

/// Texts as parts of a path that mean the same on every system, and lead nowhere else.
enum SafeName {
    /// The longest part in UTF-8 bytes. Systems allow 255; a number and an ending are added.
    static let longest = 120

    /// Returns the text as one part of a path: without separators, control characters and direction marks, without
    /// spaces or full stops at its ends, and never empty.
    static func part(_ text: String) -> String {
        var name = ""
        for scalar in text.precomposedStringWithCanonicalMapping.unicodeScalars {
            name.unicodeScalars.append(isUsable(scalar) ? scalar : "-")
        }
        name = name.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        while name.utf8.count > longest { name.removeLast() }
        name = name.trimmingCharacters(in: CharacterSet(charactersIn: " ."))
        if name.isEmpty { return "unnamed" }
        // Windows opens a device under these names, with any ending.
        let stem = name.prefix { $0 != "." }.uppercased()
        let isDevice =
            ["CON", "PRN", "AUX", "NUL"].contains(stem) || stem.wholeMatch(of: /(COM|LPT)[0-9¹²³]/) != nil
        return isDevice ? "_" + name : name
    }

    private static func isUsable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: !"/\\:*?\"<>|".unicodeScalars.contains(scalar)
        }
    }
}
