import Crypto
import Foundation

extension Redactor.Spelling {
    /// The length in bytes from which a secret is removed from the middle of a word.
    static let shortest = 4

    /// Returns every spelling of one secret; none of the mask itself, which stands for a secret where a masked recording is
    /// replayed. A binary key has those of its bytes.
    static func all(of bytes: some Collection<UInt8>) -> [Self] {
        guard let plain = String(validating: bytes, as: UTF8.self) else {
            return bytes.count < shortest ? [] : distinct(binaryEncodings(of: bytes))
        }
        guard plain != Secret.mask else { return [] }
        guard bytes.count >= shortest else {
            return plain.isEmpty ? [] : [Self(text: plain, isWord: true)]
        }
        // Another case or the reverse of a short secret is often a part of a word: “resu” is in “result”.
        return merged([
            distinct(encodings(of: plain)), distinct(digests(of: plain)),
            rearrangements(of: plain).map { Self(text: $0, isWord: true) },
        ])
    }

    private static func distinct(_ texts: [String]) -> [Self] {
        merged([texts.map { Self(text: $0, isWord: false) }])
    }

    /// Returns the distinct spellings of several secrets, longest first: removing a short secret inside a long one first
    /// would leave the rest of the long one.
    static func merged(_ spellings: [[Self]]) -> [Self] {
        var seen: Set<LockedBytes> = []
        return spellings.joined().filter { seen.insert($0.bytes).inserted }.sorted { $0.bytes.count > $1.bytes.count }
    }

    /// Returns the spellings of a text. A page may compose its accents otherwise than the person who typed the secret
    /// (Unicode Standard Annex 15), and `==` tells no difference between the two.
    static func encodings(of plain: String) -> [String] {
        let others = [plain.precomposedStringWithCanonicalMapping, plain.decomposedStringWithCanonicalMapping]
        let forms = plain.utf8.allSatisfy { $0 < 0x80 } ? [plain] : [plain] + others
        return forms.flatMap { form in
            [form] + binaryEncodings(of: form.utf8) + percentEncodings(of: form) + htmlEncodings(of: form)
                + jsonEncodings(of: form)
        }
    }

    /// Returns the digests of a secret, as pages send them. Guesses can be tested against an unsalted one, and those of common
    /// passwords are listed.
    private static func digests(of plain: String) -> [String] {
        let bytes = Array(plain.utf8)
        let digests: [[UInt8]] = [
            Array(Insecure.MD5.hash(data: bytes)), Array(Insecure.SHA1.hash(data: bytes)),
            Array(SHA256.hash(data: bytes)), Array(SHA512.hash(data: bytes)),
        ]
        return digests.flatMap(binaryEncodings)
    }

    private static func rearrangements(of plain: String) -> [String] {
        [String(plain.reversed()), plain.lowercased(), plain.uppercased()]
    }

    private static func binaryEncodings(of bytes: some Collection<UInt8>) -> [String] {
        let base64 = Data(bytes).base64EncodedString()
        let base64url = base64.spelling { $0 == UInt8(ascii: "+") ? "-" : $0 == UInt8(ascii: "/") ? "_" : nil }
        let hex = bytes.map { $0.hex(Digits.lower) }.joined()
        return [base64, base64.trimmingSuffix("="), base64url, base64url.trimmingSuffix("="), hex, hex.uppercased()]
    }

    private static func percentEncodings(of plain: String) -> [String] {
        [Digits.upper, Digits.lower].flatMap { digits in
            let strict = plain.spelling { $0.isUnreserved ? nil : "%" + $0.hex(digits) }
            // The application/x-www-form-urlencoded percent-encode set of the URL standard, section 5.2.
            let form = plain.spelling { byte in
                if byte == UInt8(ascii: " ") { return "+" }
                let isKept = byte == UInt8(ascii: "*") || byte.isUnreserved && byte != UInt8(ascii: "~")
                return isKept ? nil : "%" + byte.hex(digits)
            }
            // encodeURIComponent (ECMAScript, section 19.2.6.5).
            let component = plain.spelling {
                $0.isUnreserved || "!*'()".utf8.contains($0) ? nil : "%" + $0.hex(digits)
            }
            // The userinfo and query spellings leave sub-delimiters alone.
            let query = plain.spelling {
                $0.isUnreserved || "!$'()*,;:@/?&=+".utf8.contains($0) ? nil : "%" + $0.hex(digits)
            }
            return [strict, form, component, query]
        }
    }

    private static func htmlEncodings(of plain: String) -> [String] {
        let markup: [Unicode.Scalar: String] = ["&": "&amp;", "<": "&lt;", ">": "&gt;"]
        let others: [[Unicode.Scalar: String]] = [
            [:],  // The HTML standard, section 13.3, in a text.
            ["\"": "&quot;"],
            ["\"": "&quot;", "'": "&#39;"],  // Rails, Django before 3.0, .NET.
            ["\"": "&quot;", "'": "&#039;"],  // PHP.
            ["\"": "&quot;", "'": "&#x27;"],  // Python, Django.
            ["\"": "&quot;", "'": "&apos;"],
            ["\"": "&#34;", "'": "&#39;"],  // Jinja.
            ["\"": "&#34;", "'": "&#39;", "+": "&#43;"],  // Go.
            ["\"": "&quot;", "'": "&#x27;", "`": "&#x60;", "=": "&#x3D;"],  // Handlebars.
            ["\"": "&quot;", "'": "&#39;", "/": "&#x2F;", "`": "&#x60;", "=": "&#x3D;"],  // Mustache.
        ]
        // The HTML standard, section 13.3, in an attribute.
        return [plain.escaped { ["&": "&amp;", "\"": "&quot;"][$0] }]
            + others.map { other in plain.escaped { markup[$0] ?? other[$0] } }
    }

    private static func jsonEncodings(of plain: String) -> [String] {
        let short: [Unicode.Scalar: String] = [
            "\\": "\\\\", "\"": "\\\"", "\u{8}": "\\b", "\u{C}": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t",
        ]
        let slash = short.merging(["/": "\\/"]) { $1 }
        func isASCII(_ scalar: Unicode.Scalar) -> Bool { scalar.isASCII && scalar.value >= 0x20 }
        return [
            plain.escaped { short[$0] }, plain.escaped { slash[$0] },
            // Python; PHP.
            plain.escaped { short[$0] ?? (isASCII($0) ? nil : $0.jsonEscape(Digits.lower)) },
            plain.escaped { slash[$0] ?? (isASCII($0) ? nil : $0.jsonEscape(Digits.lower)) },
            // Go, Rails.
            plain.escaped { short[$0] ?? ("<>&\u{2028}\u{2029}".contains($0) ? $0.jsonEscape(Digits.lower) : nil) },
            // .NET.
            plain.escaped { scalar in
                if scalar != "\"", let escape = short[scalar] { return escape }
                let isKept = isASCII(scalar) && !"\"'+<>&`".contains(scalar)
                return isKept ? nil : scalar.jsonEscape(Digits.upper)
            },
        ]
    }
}

private enum Digits {
    static let lower = Array("0123456789abcdef")
    static let upper = Array("0123456789ABCDEF")
}

extension UInt8 {
    fileprivate func hex(_ digits: [Character]) -> String { String([digits[Int(self >> 4)], digits[Int(self & 15)]]) }

    /// RFC 3986, section 2.3.
    fileprivate var isUnreserved: Bool {
        switch self {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}

extension Unicode.Scalar {
    /// Returns the scalar as JSON escapes it: `\u` and four digits for each of its UTF-16 units (RFC 8259, section 7).
    fileprivate func jsonEscape(_ digits: [Character]) -> String {
        UTF16.encode(self)!.map { "\\u" + UInt8($0 >> 8).hex(digits) + UInt8($0 & 0xFF).hex(digits) }.joined()
    }
}

extension String {
    /// Returns the text with some of its scalars replaced; `other` returns nil for one that stays.
    fileprivate func escaped(_ other: (Unicode.Scalar) -> String?) -> String {
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            if let spelling = other(scalar) { result += spelling.unicodeScalars } else { result.append(scalar) }
        }
        return String(result)
    }

    fileprivate func contains(_ scalar: Unicode.Scalar) -> Bool { unicodeScalars.contains(scalar) }

    /// Returns the text with some bytes replaced; `other` returns nil for a byte that stays.
    fileprivate func spelling(_ other: (UInt8) -> String?) -> String {
        var bytes: [UInt8] = []
        for byte in utf8 {
            if let spelling = other(byte) { bytes.append(contentsOf: spelling.utf8) } else { bytes.append(byte) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    fileprivate func trimmingSuffix(_ character: Character) -> String {
        String(self[..<(lastIndex { $0 != character }.map(index(after:)) ?? startIndex)])
    }
}
