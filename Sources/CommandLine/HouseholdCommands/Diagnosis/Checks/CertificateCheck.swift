import Foundation
import Machine
import X509

/// Tells how long the certificates of the broker and of the approval page are valid.
struct CertificateCheck {
    let installation: Installation
    private static let notice: TimeInterval = 14 * 86_400

    func findings(now: Date = .now) -> [Finding] {
        var found: [Finding] = []
        if let path = installation.environment["BROKER_TLS_CERT"], !path.isEmpty {
            found.append(
                Self.finding(
                    URL(filePath: path), now,
                    remedy: "renew it where you got it, and start the broker anew with the new file"))
        }
        let page = installation.phoneHome.appending(path: "certificate.pem")
        if FileManager.default.fileExists(atPath: page.path) {
            found.append(
                Self.finding(
                    page, now,
                    remedy:
                        "start countersign phone serve --tls anew: it makes another one, which browsers ask you to accept"
                ))
        }
        return found
    }

    static func finding(_ file: URL, _ now: Date, remedy: String) -> Finding {
        guard let text = OpenedFile.text(of: file, atMost: 1 << 20),
            let end = text.range(of: "-----END CERTIFICATE-----"),
            let certificate = try? Certificate(pemEncoded: String(text[..<end.upperBound]))
        else {
            return .error(
                .certificate, .certificateUnreadable, "\(file.path) cannot be read as a certificate in PEM",
                remedy: "name a file that begins with the server's own certificate")
        }
        let left = certificate.notValidAfter.timeIntervalSince(now)
        let day = certificate.notValidAfter.formatted(.iso8601.year().month().day())
        guard left > 0 else {
            return .error(.certificate, .certificateExpired, "\(file.path) was valid until \(day)", remedy: remedy)
        }
        guard left > notice else {
            return .warning(
                .certificate, .certificateEndsSoon, "\(file.path) is valid until \(day) only", remedy: remedy)
        }
        return .good(.certificate, "\(file.path) is valid until \(day)")
    }
}
