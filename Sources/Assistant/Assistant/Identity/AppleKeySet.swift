import Clocks
import CurlClient
import Encodings
import Foundation

/// Apple's public keys, fetched when needed and kept for an hour.
///
/// An unknown key id leads to a new fetch, because Apple rotates its keys; strangers can invent key ids, so there is at
/// most one such fetch in ten seconds. A fetch that fails leaves the known keys.
package actor AppleKeySet {
    private static let lifetime: Duration = .seconds(3600)
    private static let pause: Duration = .seconds(10)
    /// Apple publishes three keys.
    private static let mostKeys = 32

    private let url: String
    private let transport: any HTTPTransport
    private let elapsed: @Sendable () -> Duration
    private var keys: [String: VerificationKey] = [:]
    private var fetchedAt: Duration?
    private var triedAt: Duration?
    private var fetch: Task<[String: VerificationKey]?, Never>?

    /// - Parameter elapsed: a clock that only goes forward.
    package init(_ url: String, over transport: any HTTPTransport, elapsed: @escaping @Sendable () -> Duration) {
        self.url = url
        self.transport = transport
        self.elapsed = elapsed
    }

    /// Returns the key with an id, or nil when Apple has none.
    ///
    /// - Throws: ``AppleIdentityError/keysUnavailable`` when no key has ever been fetched.
    func key(_ id: String) async throws(AppleIdentityError) -> VerificationKey? {
        let isOld = fetchedAt.map { elapsed() - $0 >= Self.lifetime } ?? true
        if !isOld, let key = keys[id] { return key }
        let mayTry = triedAt.map { elapsed() - $0 >= Self.pause } ?? true
        if fetch == nil, mayTry {
            triedAt = elapsed()
            fetch = Task { [url, transport] in await Self.fetched(url, over: transport) }
        }
        if let fetch {
            let fetched = await fetch.value
            if self.fetch == fetch {
                self.fetch = nil
                if let fetched {
                    keys = fetched
                    fetchedAt = elapsed()
                }
            }
        }
        guard fetchedAt != nil else { throw .keysUnavailable }
        return keys[id]
    }

    private static func fetched(_ url: String, over transport: any HTTPTransport) async -> [String: VerificationKey]? {
        guard let response = try? await transport.send(HTTPRequest("GET", url)), response.status == 200,
            let items = (try? JSONReader.read(response.body))?["keys"]?.arrayValue, items.count <= mostKeys
        else { return nil }
        var keys: [String: VerificationKey] = [:]
        for item in items {
            guard let id = item["kid"]?.stringValue, let key = VerificationKey(item) else { continue }
            keys[id] = key
        }
        return keys.isEmpty ? nil : keys
    }
}
