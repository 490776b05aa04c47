import CurlClient
import DeviceTrust
import Foundation

/// How the phone recognises its broker's TLS certificate.
public enum CertificateTrust: Sendable, Hashable {
    /// By the authorities that this machine trusts. Over plain HTTP, which is for this machine alone, by nothing.
    case authorities
    /// It is this very one, whoever signed it.
    case pinned(CertificateFingerprint)
    /// Whichever the broker shows at the next contact, which is then pinned.
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

    /// As the vault keeps it.
    var stored: String? {
        switch self {
        case .authorities: nil
        case .firstUse: "first-use"
        case .pinned(let fingerprint): fingerprint.hex
        }
    }

    /// The same for an exchange: a pin is compared within the handshake, before any byte of HTTP.
    func applied(to configuration: CurlConfiguration) -> CurlConfiguration {
        var configuration = configuration
        // What is to be pinned first, and was not, accepts nobody.
        if case .firstUse = self { configuration.pinnedCertificates = [""] }
        if case .pinned(let fingerprint) = self { configuration.pinnedCertificates = [fingerprint.hex] }
        return configuration
    }
}

/// A look at who answers at a broker's address, before anything is said to them.
public enum BrokerCertificate {
    /// - Returns: the certificate that is shown, and whether an authority vouches for it.
    /// - Throws: ``PhoneError`` when nobody answers, or without TLS.
    public static func look(
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
