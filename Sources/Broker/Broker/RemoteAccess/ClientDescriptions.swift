import CurlClient
import Encodings
import Foundation
import Machine
import Messages
import WebURL

/// Fetches the descriptions of programs that have an https address as their identifier
/// (draft-ietf-oauth-client-id-metadata-document). A stranger names that address, so the fetch is short and small, follows no
/// redirect, and reaches no address of this machine or of a private network.
struct ClientDescriptions: Sendable {
    /// The largest document, in bytes.
    private static let largest = 16 << 10

    /// Besides the limits, which are this type's own.
    var http = CurlConfiguration()
    /// True in tests, whose servers are on this machine.
    var reachesEveryAddress = false

    /// - Throws: ``OAuthError``.
    func description(of clientID: String) async throws(OAuthError) -> ClientDescription {
        guard clientID.hasPrefix("https://") else { return try ClientDescription(ownID: clientID) }
        let (host, port) = try checked(clientID)
        let session = CurlSession(try await settings(for: host, port))
        let answer: HTTPResponse
        do {
            answer = try await session.send(
                HTTPRequest("GET", clientID, headers: [HTTPHeader("Accept", "application/json")]))
            await session.close()
        } catch {
            await session.close()
            throw OAuthError(.invalidClient, "the document at client_id cannot be fetched")
        }
        guard answer.status == 200, answer.header("Content-Type")?.hasPrefix("application/json") == true,
            let json = try? JSONReader.read(Data(answer.body), limits: JSONLimits(depth: 8, size: Self.largest))
        else { throw OAuthError(.invalidClient, "the address in client_id has no JSON document") }
        return try ClientDescription(document: json, at: clientID)
    }

    private func checked(_ clientID: String) throws(OAuthError) -> (host: String, port: Int) {
        // An address that is written as it is read leads every reader to the same place: this one, libcurl, and a browser.
        guard clientID.utf8.count <= WaitingClient.longestAddress, let url = try? URLRecord(parsing: clientID),
            url.description == clientID, let host = url.host?.description, !url.hasCredentials, url.fragment == nil,
            url.path.count > 1
        else {
            throw OAuthError(
                .invalidClient,
                "client_id must be an https address with a path, and without a fragment, as a browser writes it")
        }
        let port = Int(url.effectivePort ?? 443)
        let isName = host.contains(/[a-z]/) && host.wholeMatch(of: /[a-z0-9._\-]+/) != nil
        guard reachesEveryAddress || (port == 443 && isName) else {
            throw OAuthError(.invalidClient, "client_id must have a name and the usual port")
        }
        return (host, port)
    }

    /// Returns the settings of the fetch. The name is looked up once, and the fetch goes to the address that was judged.
    private func settings(for host: String, _ port: Int) async throws(OAuthError) -> CurlConfiguration {
        var settings = http
        settings.keepsCookies = false
        settings.limits.connect = .seconds(5)
        settings.limits.firstByte = .seconds(5)
        settings.limits.whole = .seconds(8)
        settings.limits.bodySize = Self.largest
        settings.limits.headerSize = 16 << 10
        guard !reachesEveryAddress else { return settings }
        let addresses = (try? await BlockingWork.run { Self.addresses(of: host) }) ?? []
        guard let first = addresses.first, addresses.allSatisfy(PublicAddress.isPublic) else {
            throw OAuthError(.invalidClient, "client_id names no public address")
        }
        settings.resolve = ["\(host):\(port):\(first.contains(":") ? "[\(first)]" : first)"]
        return settings
    }

    private static func addresses(of host: String) -> [String] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &found) == 0 else { return [] }
        defer { freeaddrinfo(found) }
        return sequence(first: found, next: { $0?.pointee.ai_next }).compactMap { entry in
            guard let entry else { return nil }
            var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            guard
                getnameinfo(
                    entry.pointee.ai_addr, entry.pointee.ai_addrlen, &name, socklen_t(name.count), nil, 0,
                    NI_NUMERICHOST) == 0
            else { return nil }
            return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }
}
