import CLibCurl
import Foundation
import Synchronization

/// The certificates and revocation lists of a PEM file, as OpenSSL has read them.
///
/// OpenSSL takes as long to read one certificate as libcurl takes for an exchange, so what was read last is kept for the
/// sessions that follow. It is found by the file's very bytes: another content is another set.
final class ParsedAuthorities: @unchecked Sendable {
    private static let latest = Mutex<ParsedAuthorities?>(nil)

    private let content: Data
    /// OpenSSL counts its owners itself, also across threads.
    private let parts: OpaquePointer

    /// Nil when there is nothing of the kind in it, or libcurl does its TLS with another library than OpenSSL.
    static func read(_ content: Data) -> ParsedAuthorities? {
        let known = latest.withLock { $0 }
        if let known, known.content == content { return known }
        guard let read = ParsedAuthorities(content) else { return nil }
        latest.withLock { $0 = read }
        return read
    }

    private init?(_ content: Data) {
        let parts = content.withUnsafeBytes { countersign_curl_read_authorities($0.baseAddress, $0.count) }
        guard let parts else { return nil }
        self.content = content
        self.parts = parts
    }

    deinit { countersign_curl_free_authorities(parts) }

    /// Adds them to those that the next handshakes of the handle trust. The handle's connections must not outlive them.
    func lend(to easy: UnsafeMutableRawPointer) -> Bool { countersign_curl_trust(easy, parts) == CURLE_OK }
}
