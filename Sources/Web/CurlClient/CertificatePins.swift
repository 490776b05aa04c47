import CLibCurl
import Encodings
import Foundation

/// The leaf certificates that a session accepts. The TLS handshake compares them instead of verifying the chain, so
/// that no other server receives a byte of HTTP.
final class CertificatePins: @unchecked Sendable {
    private static let length = 32

    private let digests: UnsafeMutablePointer<UInt8>
    private let pins: UnsafeMutablePointer<countersign_curl_pins>

    /// - Parameter sha256: 64 hex digits each. A malformed digest matches no certificate; an empty list refuses every
    ///   server.
    init(_ sha256: [String]) {
        let all = sha256.compactMap(Self.bytes)
        digests = .allocate(capacity: max(1, all.count * Self.length))
        for (index, byte) in all.joined().enumerated() { (digests + index).initialize(to: byte) }
        pins = .allocate(capacity: 1)
        pins.initialize(to: countersign_curl_pins())
        pins.pointee.digests = UnsafePointer(digests)
        pins.pointee.count = all.count
    }

    /// Returns nil when no certificates are pinned.
    convenience init?(_ configuration: CurlConfiguration) {
        guard configuration.acceptsNoCertificate || !configuration.pinnedCertificates.isEmpty else { return nil }
        self.init(configuration.acceptsNoCertificate ? [] : configuration.pinnedCertificates)
    }

    deinit {
        pins.deallocate()
        digests.deallocate()
    }

    /// Forgets the last handshake's certificate, and makes the handle's next handshake compare.
    func lend(to easy: UnsafeMutableRawPointer) -> Bool {
        pins.pointee.has_seen = 0
        pins.pointee.has_refused = 0
        return countersign_curl_pin(easy, pins) == CURLE_OK
    }

    /// The refused certificate's SHA-256, as 64 hex digits.
    var refused: String? {
        guard pins.pointee.has_refused == 1, pins.pointee.has_seen == 1 else { return nil }
        return withUnsafeBytes(of: pins.pointee.seen) { Base16.encode($0) }
    }

    private static func bytes(_ hex: String) -> [UInt8]? {
        let digits = hex.compactMap(\.hexDigitValue)
        guard digits.count == 2 * length, digits.count == hex.count else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}

extension CurlSession {
    /// Returns the SHA-256 of a server's certificate in DER, as 64 hex digits.
    ///
    /// The handshake ends once the certificate has arrived, so the server receives no byte of HTTP. Nothing vouches for
    /// the certificate's contents.
    ///
    /// - Throws: ``CurlError`` when no server answers, or it does not speak TLS.
    public static func peerCertificate(
        of url: String, configuration: CurlConfiguration = CurlConfiguration()
    ) async throws(CurlError) -> String {
        var configuration = configuration
        configuration.acceptsNoCertificate = true
        let session = CurlSession(configuration)
        let failure: CurlError
        do {
            _ = try await session.send(HTTPRequest("GET", url))
            failure = CurlError(.tls, "the server did not show a certificate")
        } catch {
            failure = error
        }
        await session.close()
        guard let certificate = failure.peerCertificate else { throw failure }
        return certificate
    }
}
