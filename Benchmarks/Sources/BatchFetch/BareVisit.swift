import CBareCurl
import Foundation

/// The floor: one libcurl handle makes the exchanges of a recorded visit again. It knows every address and body beforehand,
/// except the forms' token, which it looks for on the page before.
struct BareVisit {
    struct Exchange {
        var url: String
        var referrer: String?
        var body: String?
        var isDownload: Bool
    }

    private static let mark = "name=\"_csrf\" value=\""
    private static let tokenLength = 32

    let exchanges: [Exchange]
    let authority: String
    let origin: String

    /// Makes all exchanges, and writes each download to a file.
    func run(into folder: URL) {
        guard let curl = bare_curl_new(authority, origin) else { fatalError("libcurl gives no handle") }
        defer { bare_curl_free(curl) }
        var token = ""
        var number = 0
        for (index, exchange) in exchanges.enumerated() {
            let body = exchange.body.map { Self.replacing(token, in: $0) }
            let status = bare_curl_exchange(curl, exchange.url, exchange.referrer, body)
            guard (200...399).contains(status) else { fatalError("\(exchange.url) was answered \(status)") }
            if exchange.isDownload {
                number += 1
                Self.keep(
                    UnsafeRawBufferPointer(start: bare_curl_body(curl), count: bare_curl_size(curl)),
                    at: folder.appending(path: "\(number)").path)
            } else if index + 1 < exchanges.count, exchanges[index + 1].body != nil,
                let found = bare_curl_after(curl, Self.mark, Self.tokenLength)
            {
                token = String(
                    decoding: UnsafeRawBufferPointer(start: found, count: Self.tokenLength), as: UTF8.self)
            }
        }
    }

    private static func replacing(_ token: String, in body: String) -> String {
        guard let field = body.firstRange(of: "_csrf=") else { return body }
        return body[..<field.upperBound] + token + body[field.upperBound...].dropFirst(tokenLength)
    }

    private static func keep(_ bytes: UnsafeRawBufferPointer, at path: String) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0, write(descriptor, bytes.baseAddress, bytes.count) == bytes.count else {
            fatalError("\(path) cannot be written")
        }
        close(descriptor)
    }
}
