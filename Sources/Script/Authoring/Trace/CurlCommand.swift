import CurlClient
import Encodings
import Foundation
import HTMLAutomation
import HTMLEngine
import Secrets

/// An exchange as a curl command to try by hand, with secrets as shell variables such as `$PASSWORD` and `$CSRF`.
public struct CurlCommand: Sendable, CustomStringConvertible {
    public let description: String

    /// The headers that curl writes by itself.
    private static let writtenByCurl: Set<String> = ["host", "content-length", "connection", "accept-encoding"]

    public init(_ exchange: Exchange) {
        var words = ["curl"]
        if exchange.method != (exchange.requestBody == nil ? "GET" : "POST") { words.append("-X \(exchange.method)") }
        words.append(Self.quoted(exchange.url, as: "URL_TOKEN"))
        for header in exchange.requestHeaders where !Self.writtenByCurl.contains(header.name.lowercased()) {
            let name = header.name.lowercased()
            let isSecret =
                ["cookie", "authorization"].contains(name) || Redactor.redactValue(header.value) != header.value
                || name.contains("token") || name.contains("csrf") || name.contains("xsrf")
            let value = isSecret ? "$\(Self.variable(header.name))" : Self.escaped(header.value)
            words.append("-H \"\(Self.escaped(header.name)): \(value)\"")
        }
        // The cookie jar carries the session from one command to the next.
        words.append("-b cookies.txt -c cookies.txt")
        if let body = exchange.requestBody { words += Self.data(body, type: exchange.requestHeader("content-type")) }
        description = words.joined(separator: " \\\n  ")
    }

    private static func data(_ body: [UInt8], type: String?) -> [String] {
        let text = String(decoding: body, as: UTF8.self)
        guard type?.hasPrefix("application/x-www-form-urlencoded") == true else {
            if let json = try? JSONReader.read(body), json.objectValue != nil || json.arrayValue != nil {
                return ["--data-raw \"\(Self.json(json))\""]
            }
            let clean = Redactor.redactValue(text)
            return ["--data-binary \(clean == text ? "\"\(escaped(text))\"" : "\"$BODY\"")"]
        }
        let mask = Mask(keepsDigits: true)
        return text.split(separator: "&").map { pair in
            let field = FormFields(urlEncoded: String(pair)).fields[0]
            let masked = mask.value(field.value, named: field.name)
            let name = escaped(String(pair.prefix { $0 != "=" }))
            if masked.contains(Secret.mask) { return "--data-urlencode \"\(name)=$\(variable(field.name))\"" }
            // curl would encode as UTF-8 what the page encoded in another way.
            guard pair.replacing("+", with: " ").removingPercentEncoding != nil else {
                return "--data-raw \"\(escaped(String(pair)))\""
            }
            return "--data-urlencode \"\(name)=\(escaped(field.value))\""
        }
    }

    /// Writes JSON for double quotes of a shell, with variables in place of secrets.
    private static func json(_ value: JSONValue) -> String {
        var variables: [String] = []
        // A private character that the body does not have marks where a variable stands.
        let own = Set(value.compactText().unicodeScalars)
        guard let mark = (0xE000...0xF8FF).lazy.compactMap(Unicode.Scalar.init).first(where: { !own.contains($0) })
        else {
            return "$BODY"
        }
        func marked(_ value: JSONValue, _ name: String) -> JSONValue {
            switch value {
            case .array(let items): return .array(items.map { marked($0, name) })
            case .object(let members):
                return .object(Dictionary(uniqueKeysWithValues: members.map { ($0.key, marked($0.value, $0.key)) }))
            case .string(let text):
                guard Mask(keepsDigits: true).value(text, named: name).contains(Secret.mask) else { return value }
                variables.append("$\(variable(name))")
            case .number:
                guard Mask(keepsDigits: true).value("x", named: name).contains(Secret.mask) else { return value }
                variables.append("$\(variable(name))")
            case .null, .bool: return value
            }
            return .string("\(mark)\(variables.count - 1)\(mark)")
        }
        let text = escaped(marked(value, "").compactText())
        return text.unicodeScalars.split(separator: mark, omittingEmptySubsequences: false).enumerated().map {
            index, part in
            index % 2 == 0 ? String(part) : variables[Int(String(part)) ?? 0]
        }.joined()
    }

    private static func quoted(_ url: String, as variable: String) -> String {
        let clean = Mask(keepsDigits: true).url(url)
        let hidden = [Secret.mask, FormFields.encoded(Secret.mask)]
        return "\""
            + escaped(hidden.reduce(clean) { $0.replacing($1, with: "\u{0}") })
            .replacing("\u{0}", with: "$\(variable)") + "\""
    }

    private static func variable(_ name: String) -> String {
        let letters = name.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
        let text = String(letters).split(separator: "_").joined(separator: "_")
        return text.first?.isNumber ?? true ? "VALUE_" + text : text
    }

    /// Escapes a text for double quotes of a POSIX shell.
    private static func escaped(_ text: String) -> String {
        text.escaping(["\\": "\\\\", "\"": "\\\"", "$": "\\$", "`": "\\`"])
    }
}
