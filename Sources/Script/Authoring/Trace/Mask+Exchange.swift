import CurlClient
import Encodings
import Foundation
import HTMLAutomation
import HTMLEngine
import Markup
import Secrets

extension Mask {
    /// Masks an exchange so that it may be kept: headers, forms and JSON masked, pages as ``SanitisedPage``, plain text
    /// masked, and every other body dropped.
    func exchange(_ exchange: Exchange) -> Exchange {
        var masked = exchange
        masked.url = url(exchange.url)
        masked.requestHeaders = exchange.requestHeaders.map(header)
        masked.responseHeaders = exchange.responseHeaders.map(header)
        masked.requestBody = exchange.requestBody.map { body($0, type: exchange.requestHeader("content-type")) }
        masked.responseBody = exchange.responseBody.flatMap { response($0, of: exchange) }
        if masked.responseBody != nil { masked.responseHeaders = masked.responseHeaders.labelledUTF8 }
        return masked
    }

    /// Masks a header. Cookies and tokens keep their names, and lose their values.
    func header(_ header: HTTPHeader) -> HTTPHeader {
        let name = header.name.lowercased()
        switch name {
        case "cookie":
            let names = header.value.split(separator: ";").map { $0.prefix { $0 != "=" } + "=" + Secret.mask }
            return HTTPHeader(header.name, names.joined(separator: ";"))
        case "set-cookie":
            let pair = header.value.prefix { $0 != ";" }
            return HTTPHeader(
                header.name, pair.prefix { $0 != "=" } + "=" + Secret.mask + header.value.dropFirst(pair.count))
        case "authorization", "proxy-authorization", "www-authenticate":
            return HTTPHeader(header.name, header.value.prefix { $0 != " " } + " " + Secret.mask)
        case "location", "referer", "content-location": return HTTPHeader(header.name, url(header.value))
        case "refresh": return HTTPHeader(header.name, refresh(header.value))
        case "date", "expires", "last-modified", "content-length", "age", "cache-control", "content-type",
            "strict-transport-security", "user-agent", "accept", "accept-language", "origin", "host":
            return HTTPHeader(header.name, Redactor.redactValue(header.value))
        default:
            return HTTPHeader(header.name, value(header.value, named: header.name))
        }
    }

    func json(_ value: JSONValue, named name: String = "") -> JSONValue {
        switch value {
        case .string(let text): .string(self.value(text, named: name))
        case .number(let number):
            keepsDigits || number == number.rounded() && (0...31 ~= number || 1990...2100 ~= number)
                ? value : .number(invention?.number(for: number) ?? 0)
        case .array(let items): .array(items.map { json($0, named: name) })
        case .object(let members):
            .object(Dictionary(uniqueKeysWithValues: members.map { ($0.key, json($0.value, named: $0.key)) }))
        case .null, .bool: value
        }
    }

    private func body(_ bytes: [UInt8], type: String?) -> [UInt8] {
        let text = String(decoding: bytes, as: UTF8.self)
        let type = type?.lowercased() ?? ""
        if type.hasPrefix("application/x-www-form-urlencoded") {
            let fields = FormFields(urlEncoded: text).fields.map {
                FormFields.Field(name: $0.name, value: value($0.value, named: $0.name))
            }
            return Array(FormFields(fields).urlEncoded.utf8)
        }
        if let value = try? JSONReader.read(bytes), let masked = try? json(value).canonicalBytes() { return masked }
        if type.hasPrefix("multipart/form-data") {
            let fields = FormFields.names(inMultipart: bytes).map { FormFields.Field(name: $0, value: Secret.mask) }
            return Array(FormFields(fields).urlEncoded.utf8)
        }
        return Array(Secret.mask.utf8)
    }

    private func response(_ bytes: [UInt8], of exchange: Exchange) -> [UInt8]? {
        let type = exchange.mediaType ?? "text/html"
        if type == "text/html" || type == "application/xhtml+xml" {
            guard
                let document = try? Document.parse(
                    bytes, contentType: exchange.header("content-type"), url: exchange.url)
            else { return nil }
            return Array(SanitisedPage(document, mask: self, use: .replay).html.utf8)
        }
        if type.hasSuffix("json"), let value = try? JSONReader.read(bytes) {
            return try? json(value).canonicalBytes()
        }
        // Text in another encoding is dropped.
        if type == "text/plain", String(validating: bytes, as: UTF8.self) != nil {
            return Array(text(String(decoding: bytes, as: UTF8.self)).utf8)
        }
        return nil
    }
}
