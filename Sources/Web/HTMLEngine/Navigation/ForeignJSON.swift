import Encodings
import Markup

/// JSON as banks send it, in any encoding that pages have.
package enum ForeignJSON {
    /// - Parameter contentType: the answer's `Content-Type`, whose `charset` counts.
    /// - Throws: ``JSONError`` with the byte of the text.
    package static func read(_ body: [UInt8], contentType: String?) throws(JSONError) -> JSONValue {
        let label = contentType.flatMap { $0.lowercased().contains("charset") ? $0 : nil } ?? usualLabel(of: body)
        let text =
            !body.contains(0) && body.isUTF8 ? body : CharacterEncoding.sniff(body, contentType: label).decode(body)
        return try JSONReader.readForeign(text)
    }

    /// - Returns: nil for a body without a byte that could be a value.
    package static func outcome(_ body: [UInt8], contentType: String?) -> (json: JSONValue?, unreadable: String?) {
        do {
            return (try read(body, contentType: contentType), nil)
        } catch {
            guard body.contains(where: { $0 > 0x20 }) else { return (nil, nil) }
            let type = contentType.map { ", sent as \($0.prefix(60))" } ?? ""
            return (nil, "\(error.message) (byte \(error.offset) of \(body.count)\(type))")
        }
    }

    /// JSON is UTF-8 where nothing else is said, unless its first character shows UTF-16 (RFC 4627, section 3).
    private static func usualLabel(of body: [UInt8]) -> String {
        let start = body.prefix(2)
        let encoding = start.first == 0 ? "utf-16be" : start.last == 0 ? "utf-16le" : "utf-8"
        return "application/json; charset=\(encoding)"
    }
}
