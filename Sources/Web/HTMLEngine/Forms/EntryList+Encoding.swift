import Foundation
import Markup
import WebURL

/// The three encodings of an entry list (HTML Standard, sections 4.10.21.5 to 8).
extension EntryList {
    /// Encodes as application/x-www-form-urlencoded (URL Standard, section 5.2).
    func urlEncoded(_ encoding: CharacterEncoding) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(128)
        for entry in entries {
            if !result.isEmpty { result.append(UInt8(ascii: "&")) }
            PercentEncoding.appendFormURLEncoded(encoding.encode(entry.name.carriageReturnsAndLineFeeds), to: &result)
            result.append(UInt8(ascii: "="))
            PercentEncoding.appendFormURLEncoded(
                encoding.encode(entry.value.text.carriageReturnsAndLineFeeds), to: &result)
        }
        return result
    }

    /// Encodes as multipart/form-data (RFC 7578, with the HTML Standard's escapes).
    func multipart(_ encoding: CharacterEncoding, boundary: String) -> [UInt8] {
        func quoted(_ text: String) -> [UInt8] {
            let escaped = text.unicodeScalars.reduce(into: "") { result, scalar in
                switch scalar {
                case "\"": result += "%22"
                case "\r": result += "%0D"
                case "\n": result += "%0A"
                default: result.unicodeScalars.append(scalar)
                }
            }
            return [0x22] + encoding.encode(escaped) + [0x22]
        }
        var result: [UInt8] = []
        for entry in entries {
            result += Array("--\(boundary)\r\nContent-Disposition: form-data; name=".utf8)
            result += quoted(entry.name.carriageReturnsAndLineFeeds)
            if case .file(let name, let content) = entry.value {
                result += Array("; filename=".utf8) + quoted(name)
                result += Array("\r\nContent-Type: application/octet-stream\r\n\r\n".utf8) + content
            } else {
                result += Array("\r\n\r\n".utf8) + encoding.encode(entry.value.text.carriageReturnsAndLineFeeds)
            }
            result += [0x0D, 0x0A]
        }
        return result + Array("--\(boundary)--\r\n".utf8)
    }

    func plainText(_ encoding: CharacterEncoding) -> [UInt8] {
        entries.flatMap {
            encoding.encode("\($0.name.carriageReturnsAndLineFeeds)=\($0.value.text.carriageReturnsAndLineFeeds)\r\n")
        }
    }
}

extension EntryList.Value {
    /// The value where a file's content cannot be sent.
    fileprivate var text: String {
        switch self {
        case .input(let input): input.revealed
        case .file(let name, _): name
        }
    }
}

extension String {
    /// The text with CR LF for every line break, as forms send it.
    fileprivate var carriageReturnsAndLineFeeds: String {
        guard utf8.contains(where: { $0 == 0x0D || $0 == 0x0A }) else { return self }
        var result = String.UnicodeScalarView()
        var previous: Unicode.Scalar?
        for scalar in unicodeScalars {
            if scalar == "\n" {
                if previous != "\r" { result.append("\r") }
            } else if previous == "\r" {
                result.append("\n")
            }
            result.append(scalar)
            previous = scalar
        }
        if previous == "\r" { result.append("\n") }
        return String(result)
    }
}

extension CharacterEncoding {
    /// The name of the encoding that ``encode(_:)`` produces.
    var outputName: String { name.hasPrefix("UTF-16") ? "UTF-8" : name }

    /// The encoding of the queries of URLs in a page of this encoding.
    var queryEncoding: QueryEncoding {
        self == .utf8 ? .utf8 : QueryEncoding { self.bytes(of: $0) }
    }
}
