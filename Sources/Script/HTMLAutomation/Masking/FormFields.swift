import Foundation

/// The names and values of an `application/x-www-form-urlencoded` text (URL Standard, section 5.1).
package struct FormFields: Sendable, Hashable {
    package struct Field: Sendable, Hashable {
        package var name: String
        package var value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    package var fields: [Field]

    package init(_ fields: [Field]) {
        self.fields = fields
    }

    package init(urlEncoded text: String) {
        fields = text.split(separator: "&").map { pair in
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                let spaced = $0.replacing("+", with: " ")
                return spaced.removingPercentEncoding ?? String(spaced)
            }
            return Field(name: halves[0], value: halves.count > 1 ? halves[1] : "")
        }
    }

    package subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    package var names: [String] { fields.map(\.name) }

    package var urlEncoded: String {
        fields.map { "\(Self.encoded($0.name))=\(Self.encoded($0.value))" }.joined(separator: "&")
    }

    package static func encoded(_ text: String) -> String {
        let safe = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789*-._ ")
        return (text.addingPercentEncoding(withAllowedCharacters: safe) ?? text).replacing(" ", with: "+")
    }

    /// Percent-encodes the dots of a path segment whose digits were masked; the rest of it is ASCII.
    static func encodingDots(in segment: String) -> String {
        segment.replacing(String(NumberMask.digit), with: "%E2%80%A2")
    }

    /// Returns the names in a `multipart/form-data` body (RFC 7578), without the values.
    package static func names(inMultipart body: [UInt8]) -> [String] {
        let text = String(decoding: body, as: UTF8.self)
        return text.matches(of: /(?i)content-disposition:[^\r\n]*?\bname="([^"\r\n]*)"/).map { String($0.1) }
    }

    /// Reads a `multipart/form-data` body (RFC 7578). A file's value is its name.
    package init(multipart body: [UInt8]) {
        let text = String(decoding: body, as: UTF8.self)
        guard let boundary = text.split(separator: "\r\n", maxSplits: 1).first, boundary.hasPrefix("--") else {
            self.init([])
            return
        }
        var fields: [Field] = []
        for part in text.components(separatedBy: String(boundary)) {
            guard let end = part.range(of: "\r\n\r\n"),
                let name = part[..<end.lowerBound].firstMatch(
                    of: /(?i)content-disposition:[^\r\n]*?\bname="([^"\r\n]*)"/)
            else { continue }
            let file = part[..<end.lowerBound].firstMatch(of: /(?i)filename="([^"\r\n]*)"/)
            let value = part[end.upperBound...]
            fields.append(
                Field(
                    name: String(name.1),
                    value: file.map { String($0.1) } ?? String(value.hasSuffix("\r\n") ? value.dropLast() : value)))
        }
        self.init(fields)
    }
}
