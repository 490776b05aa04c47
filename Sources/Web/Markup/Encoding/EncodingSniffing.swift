import Foundation

extension CharacterEncoding {
    /// Finds a page's encoding: by its byte order mark, the header's charset, a `meta` in its first kilobyte, or else
    /// windows-1252 (HTML Standard, section 13.2.3).
    package static func sniff(_ bytes: [UInt8], contentType: String?) -> CharacterEncoding {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return .utf8 }
        if bytes.starts(with: [0xFE, 0xFF]) { return CharacterEncoding(label: "utf-16be") ?? .utf8 }
        if bytes.starts(with: [0xFF, 0xFE]) { return CharacterEncoding(label: "utf-16le") ?? .utf8 }
        if let label = contentType.flatMap({ charset(in: $0) }), let known = CharacterEncoding(label: label) {
            return known
        }
        return prescan(bytes.prefix(1024)) ?? .windows1252
    }

    /// "Extracting a character encoding from a meta element" (HTML Standard, section 2.4.4), used for the header too.
    /// Handwritten because a regular expression would take as long as building the page's tree.
    private static func charset(in text: String) -> String? {
        let bytes = Array(text.utf8)
        let name = Array("charset".utf8)
        var index = 0
        func skipSpace() { while index < bytes.count, bytes[index] <= 0x20 { index += 1 } }
        while index + name.count <= bytes.count {
            guard zip(bytes[index...], name).allSatisfy({ $0 | 0x20 == $1 }) else {
                index += 1
                continue
            }
            index += name.count
            skipSpace()
            guard index < bytes.count, bytes[index] == UInt8(ascii: "=") else { continue }
            index += 1
            skipSpace()
            guard let first = index < bytes.count ? bytes[index] : nil else { return nil }
            if first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") {
                let rest = bytes[(index + 1)...]
                return rest.firstIndex(of: first).map { String(decoding: rest[..<$0], as: UTF8.self) }
            }
            let label = bytes[index...].prefix { $0 > 0x20 && $0 != UInt8(ascii: ";") }
            return label.isEmpty ? nil : String(decoding: label, as: UTF8.self)
        }
        return nil
    }

    /// "Prescan a byte stream to determine its encoding".
    private static func prescan(_ bytes: ArraySlice<UInt8>) -> CharacterEncoding? {
        // Decode as Latin-1, which keeps every byte: only ASCII matters here.
        var text = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        text.replace(/<!--.*?(-->|$)/.dotMatchesNewlines(), with: "")
        for tag in text.matches(of: /(?i)<meta[\s\/]([^>]*)>?/) {
            guard let label = label(in: String(tag.1)) else { continue }
            guard let encoding = CharacterEncoding(label: label) else { continue }
            // A page whose ASCII can be read is not UTF-16.
            return encoding.name.hasPrefix("UTF-16") ? .utf8 : encoding
        }
        return nil
    }

    private static func label(in attributes: String) -> String? {
        var charset: String?
        var content: String?
        var isContentType = false
        let pattern = /(?i)([a-z-]+)\s*=\s*("[^"]*"|'[^']*'|[^\s"'>\/]+)/
        for attribute in attributes.matches(of: pattern) {
            let value = attribute.2.trimmingCharacters(in: CharacterSet(charactersIn: "\"'"))
            switch attribute.1.lowercased() {
            case "charset": charset = charset ?? value
            case "content": content = content ?? value
            case "http-equiv": isContentType = value.lowercased() == "content-type"
            default: break
            }
        }
        if let charset { return charset }
        return isContentType ? content.flatMap { self.charset(in: $0) } : nil
    }
}
