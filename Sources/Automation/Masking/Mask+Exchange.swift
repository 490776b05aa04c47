import CurlClient
import DOM
import Foundation
import HTMLEngine
import JSON
import Secrets

extension Mask {
    /// The exchange as it may be kept: heads, form and body masked, a page as ``SanitisedPage`` has it, and nothing of
    /// what is neither page nor JSON.
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
        // Text of some other encoding is not guessed at.
        if type == "text/plain", String(validating: bytes, as: UTF8.self) != nil {
            return Array(text(Redactor.redact(String(decoding: bytes, as: UTF8.self))).utf8)
        }
        return nil
    }
}
