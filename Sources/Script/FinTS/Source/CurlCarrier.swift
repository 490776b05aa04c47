import BankScript
import CurlClient
import Foundation
import Secrets
import WebURL

/// Carries messages over HTTPS, in Base64 (FinTS 3.0, Security, Sicherheitsverfahren PIN/TAN, 2020-07-10: the message as
/// the body of a POST). It contacts one address, and follows no redirect.
struct CurlCarrier: MessageCarrier {
    private let address: String
    private let session: CurlSession

    /// - Throws: ``FinTSFailure`` for an address that is not HTTPS. A file for testing may use HTTP to this machine.
    init(_ script: BankScript, at address: String, certificateAuthority: URL?) throws(FinTSFailure) {
        guard let url = try? URLRecord(parsing: address), let host = url.host, !url.hasCredentials, url.fragment == nil,
            let origin = Origin(of: url)
        else {
            throw FinTSFailure(
                .network, "the address of the bank's server cannot be read; correct “at” in the bank's file")
        }
        guard url.scheme == "https" || url.scheme == "http" && script.isForTesting && host.isLoopback else {
            throw FinTSFailure(
                .network, "the address of the bank's server is not https; correct “at” in the bank's file")
        }
        self.address = url.description
        var configuration = CurlConfiguration()
        configuration.keepsCookies = false
        configuration.extraCAFile = certificateAuthority
        configuration.limits.whole = .seconds(120)
        configuration.limits.bodySize = Self.longestAnswer
        if let keys = script.pins.first(where: { (try? Origin(parsing: $0.key)) == origin })?.value {
            // An invalid pin stays in the list. It matches no key, so the connection is refused.
            configuration.pinnedPublicKeys[origin.description] = keys.map { String($0.trimmingPrefix("sha256/")) }
        }
        session = CurlSession(configuration)
    }

    /// In bytes of Base64: a PDF of some megabytes in its envelope.
    private static let longestAnswer = 32 << 20

    func exchange(_ message: [UInt8]) async throws(FinTSFailure) -> [UInt8] {
        var body = Array(Data(message).base64EncodedData())
        defer { body.wipe() }
        let request = HTTPRequest(
            "POST", address,
            headers: [HTTPHeader("Content-Type", "text/plain"), HTTPHeader("Accept", "text/plain")], body: body)
        let response: HTTPResponse
        do {
            response = try await session.send(request)
        } catch {
            throw FinTSFailure(
                error.code == .pinMismatch ? .keyMismatch : .network, error.message,
                nothingWasSent: error.nothingWasSent)
        }
        guard (200...299).contains(response.status) else {
            throw FinTSFailure(
                response.status >= 500 ? .serverError : .network,
                "the bank's server answered \(response.status) instead of a message; check “at” in the bank's file")
        }
        guard let answer = Data(base64Encoded: Data(response.body), options: .ignoreUnknownCharacters) else {
            throw BankMessage.garbled("the bank's answer is not Base64")
        }
        return Array(answer)
    }

    func close() async { await session.close() }
}
