import Foundation

/// Names and values of an `application/x-www-form-urlencoded` text (URL Standard, section 5.1).
struct FormFields: Sendable, Hashable {
    struct Field: Sendable, Hashable {
        var name: String
        var value: String
    }

    var fields: [Field]

    init(_ fields: [Field]) {
        self.fields = fields
    }

    init(urlEncoded text: String) {
        fields = text.split(separator: "&").map { pair in
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                let spaced = $0.replacing("+", with: " ")
                return spaced.removingPercentEncoding ?? String(spaced)
            }
            return Field(name: halves[0], value: halves.count > 1 ? halves[1] : "")
        }
    }

    subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    var names: [String] { fields.map(\.name) }

    var urlEncoded: String {
        fields.map { "\(Self.encoded($0.name))=\(Self.encoded($0.value))" }.joined(separator: "&")
    }

    static func encoded(_ text: String) -> String {
        let safe = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789*-._ ")
        return (text.addingPercentEncoding(withAllowedCharacters: safe) ?? text).replacing(" ", with: "+")
    }

    /// A path's segment that was ASCII before its digits were masked.
    static func encodingDots(in segment: String) -> String {
        segment.replacing(String(NumberMask.digit), with: "%E2%80%A2")
    }

    /// The names in a `multipart/form-data` body (RFC 7578); values are not read.
    static func names(inMultipart body: [UInt8]) -> [String] {
        let text = String(decoding: body, as: UTF8.self)
        return text.matches(of: /(?i)content-disposition:[^\r\n]*?\bname="([^"\r\n]*)"/).map { String($0.1) }
    }
}
