import Clocks
import CurlClient
import Encodings
import Foundation
import Secrets

/// Calls Google's APIs with an access token, and respects Google's limits: it waits and tries again a few times, as long
/// as Google asks for, or twice as long each time with some jitter.
package struct GoogleAPI: Sendable {
    /// The longest wait, in seconds. When Google asks for more, the caller tries at its next turn.
    private static let longestWait = 30.0

    private let token: Secret
    private let endpoints: GoogleEndpoints
    private let transport: any HTTPTransport
    private let tries: Int
    private let sleep: @Sendable (Duration) async throws -> Void

    /// - Parameter tries: how often a call is made at most. A caller with a schedule of its own makes it once.
    package init(
        token: Secret, endpoints: GoogleEndpoints = GoogleEndpoints(), over transport: any HTTPTransport,
        tries: Int = 4,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.token = token
        self.endpoints = endpoints
        self.transport = transport
        self.tries = tries
        self.sleep = sleep
    }

    /// Reads a resource.
    ///
    /// - Throws: ``GoogleError``; `refused` with 404 or 410 where a caller has to begin anew.
    func get(_ path: String, _ query: [(String, String)]) async throws -> JSONValue {
        let url = "\(endpoints.call(path))?\(GoogleOAuth.form(query))"
        for attempt in 1... {
            let (answer, error) = try await once(url)
            if let answer { return answer }
            guard attempt < tries, let wait = Self.wait(before: attempt, error) else { throw error }
            try await sleep(.milliseconds(Int64(wait * 1000)))
        }
        throw CancellationError()
    }

    /// Returns the seconds to wait before the next try; nil when none helps.
    private static func wait(before attempt: Int, _ error: GoogleError) -> Double? {
        let doubled = Double(1 << (attempt - 1)) * Double.random(in: 0.5...1)
        switch error {
        case .rateLimited(let seconds?): return Double(seconds) > longestWait ? nil : max(Double(seconds), doubled)
        case .rateLimited(nil), .unavailable: return doubled
        default: return nil
        }
    }

    private func once(_ url: String) async throws -> (JSONValue?, GoogleError) {
        let request = HTTPRequest("GET", url, headers: [HTTPHeader("Authorization", "Bearer \(token.revealed())")])
        let response: HTTPResponse
        do {
            response = try await transport.send(request)
        } catch let error as CurlError where error.code == .cancelled {
            throw CancellationError()
        } catch let error as CurlError {
            return (nil, .unavailable(error.description))
        }
        let json = try? JSONReader.read(response.body, limits: JSONLimits(depth: 32, size: 8 << 20))
        if response.status == 200 {
            guard let json, json.objectValue != nil else { return (nil, .malformed("an answer is not JSON")) }
            return (json, .malformed(""))
        }
        let reason = json?["error"]?["errors"]?.arrayValue?.first?["reason"]?.stringValue.flatMap(Self.code) ?? ""
        let wait = response.header("retry-after").flatMap { Int($0) }
        switch response.status {
        case 401: return (nil, .unauthorized)
        case 429: return (nil, .rateLimited(retryAfter: wait))
        case 403 where ["rateLimitExceeded", "userRateLimitExceeded"].contains(reason):
            return (nil, .rateLimited(retryAfter: wait))
        case 403: return (nil, .forbidden(reason: reason))
        case 500...: return (nil, .unavailable("it answered \(response.status)"))
        default: return (nil, .refused(status: response.status, reason: reason))
        }
    }

    /// Returns a reason of Google's alphabet, so that nothing else of an answer gets into a message.
    private static func code(_ text: String) -> String? {
        text.wholeMatch(of: /[A-Za-z]{1,40}/) == nil ? nil : text
    }
}
