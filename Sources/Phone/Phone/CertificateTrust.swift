import CurlClient
import DeviceTrust
import Foundation
import PhoneStore

/// The rule by which the phone accepts its broker's TLS certificate.
package enum CertificateTrust: Sendable, Hashable {
    /// Any certificate of an authority that this machine trusts. Plain HTTP, which is allowed on this machine only, has
    /// no certificate.
    case authorities
    /// Exactly this certificate, whatever authority issued it.
    case pinned(CertificateFingerprint)
    /// The certificate that the broker shows at the next contact, which is then pinned.
    case firstUse

    init(stored: String?) throws(PhoneError) {
        switch stored {
        case nil: self = .authorities
        case "first-use": self = .firstUse
        case let text?:
            guard let fingerprint = CertificateFingerprint(text) else {
                throw PhoneError(.storeDamaged, "the vault's pin of the broker cannot be read; pair again")
            }
            self = .pinned(fingerprint)
        }
    }

    /// The form in which the vault stores the rule.
    var stored: String? {
        switch self {
        case .authorities: nil
        case .firstUse: "first-use"
        case .pinned(let fingerprint): fingerprint.hex
        }
    }

    /// Returns a configuration that enforces the rule. The pin is compared during the handshake, before any byte of
    /// HTTP.
    func applied(to configuration: CurlConfiguration) -> CurlConfiguration {
        var configuration = configuration
        // Until the first certificate is pinned, accept none.
        if case .firstUse = self { configuration.pinnedCertificates = [""] }
        if case .pinned(let fingerprint) = self { configuration.pinnedCertificates = [fingerprint.hex] }
        return configuration
    }
}

/// The certificate at a broker's address, read before anything is sent.
package enum BrokerCertificate {
    /// Reads the certificate.
    ///
    /// - Returns: the certificate, and whether an authority vouches for it.
    /// - Throws: ``PhoneError`` if no server answers or the server does not speak TLS.
    package static func look(
        at url: URL, http: CurlConfiguration = CurlConfiguration()
    ) async throws(PhoneError) -> PairingConnection {
        guard url.scheme?.lowercased() == "https" else { return .plain }
        var http = http
        http.pinnedCertificates = []
        let address = url.absoluteString
        do {
            let seen = try await CurlSession.peerCertificate(of: address, configuration: http)
            guard let fingerprint = CertificateFingerprint(seen) else { return .plain }
            return try await isVouchedFor(address, http) ? .verified(fingerprint) : .unverified(fingerprint)
        } catch let error as PhoneError {
            throw error
        } catch {
            throw PhoneError(failure: error)
        }
    }

    private static func isVouchedFor(_ address: String, _ http: CurlConfiguration) async throws -> Bool {
        let session = CurlSession(http)
        let root = address.hasSuffix("/") ? address : address + "/"
        let result: Result<Bool, any Error>
        do {
            _ = try await session.send(HTTPRequest("GET", root + "healthz"))
            result = .success(true)
        } catch {
            result = error.code == .tls ? .success(false) : .failure(error)
        }
        await session.close()
        return try result.get()
    }
}
