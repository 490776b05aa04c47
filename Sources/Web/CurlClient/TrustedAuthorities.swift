import CLibCurl
import Foundation
import Machine

/// The certificate authorities that a session trusts: the system's, plus those in an optional extra file.
///
/// OpenSSL takes longer to read all of a system's authorities than a handshake takes. From a folder whose files are
/// named by hash, it reads only the one it needs.
final class TrustedAuthorities: @unchecked Sendable {
    /// libcurl's own folder of authorities, when OpenSSL can look them up there.
    private static let folder: String? = {
        guard let version = countersign_curl_version()?.pointee, let path = version.capath,
            let library = version.ssl_version, String(cString: library).hasPrefix("OpenSSL")
        else { return nil }
        let folder = String(cString: path)
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return files.contains { $0.hasSuffix(".0") } ? folder : nil
    }()

    private static let systemFiles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem",
    ]

    private let extra: URL?
    /// The extra file's authorities, so that libcurl does not read the file again.
    private let parsed: ParsedAuthorities?
    /// All authorities in memory, when there is an extra file but no such folder: libcurl takes one set only.
    private let bundle: UnsafeMutableRawBufferPointer?

    /// Returns nil when the file cannot be read.
    init?(adding extra: URL?) {
        self.extra = extra
        guard let extra else {
            parsed = nil
            bundle = nil
            return
        }
        guard let certificates = Self.content(of: extra), !certificates.isEmpty else { return nil }
        guard Self.folder == nil else {
            parsed = ParsedAuthorities.read(certificates)
            bundle = nil
            return
        }
        parsed = nil
        var all = Self.systemFiles.lazy.compactMap { Self.content(of: URL(filePath: $0)) }.first ?? Data()
        all.append(contentsOf: "\n".utf8)
        all.append(certificates)
        let bundle = UnsafeMutableRawBufferPointer.allocate(byteCount: all.count, alignment: 1)
        bundle.copyBytes(from: all)
        self.bundle = bundle
    }

    private static func content(of file: URL) -> Data? {
        (try? OpenedFile(file, links: .followed).bytes(atMost: 16 << 20)).map { Data($0) }
    }

    deinit { bundle?.deallocate() }

    /// Hands the authorities to a handle, which must not outlive them.
    func lend(to easy: UnsafeMutableRawPointer) {
        if let bundle {
            var blob = curl_blob(data: bundle.baseAddress, len: bundle.count, flags: UInt32(CURL_BLOB_NOCOPY))
            _ = countersign_curl_set_pointer(easy, CURLOPT_CAINFO_BLOB, &blob)
        } else if let folder = Self.folder {
            _ = countersign_curl_set_text(easy, CURLOPT_CAPATH, folder)
            // If it could not be parsed, libcurl reads the file and reports the error.
            let isLent = parsed?.lend(to: easy) ?? false
            _ = countersign_curl_set_text(easy, CURLOPT_CAINFO, isLent ? nil : extra?.path)
        }
    }
}
