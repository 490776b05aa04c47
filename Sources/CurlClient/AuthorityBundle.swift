import CLibCurl
import Foundation

/// The system's certificate authorities and one file more, in memory: libcurl takes one set only.
final class AuthorityBundle: @unchecked Sendable {
    private static let systemFiles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem",
    ]

    private let bytes: UnsafeMutableRawBufferPointer

    /// Nil when the file cannot be read.
    init?(adding extra: URL) {
        guard let certificates = try? Data(contentsOf: extra), !certificates.isEmpty else { return nil }
        var bundle = Self.systemFiles.lazy.compactMap { try? Data(contentsOf: URL(filePath: $0)) }.first ?? Data()
        bundle.append(contentsOf: "\n".utf8)
        bundle.append(certificates)
        bytes = .allocate(byteCount: bundle.count, alignment: 1)
        bytes.copyBytes(from: bundle)
    }

    deinit { bytes.deallocate() }

    /// Hands the bundle to a handle, which must not outlive it.
    func lend(to easy: UnsafeMutableRawPointer) {
        var blob = curl_blob(data: bytes.baseAddress, len: bytes.count, flags: UInt32(CURL_BLOB_NOCOPY))
        _ = countersign_curl_set_pointer(easy, CURLOPT_CAINFO_BLOB, &blob)
    }
}
