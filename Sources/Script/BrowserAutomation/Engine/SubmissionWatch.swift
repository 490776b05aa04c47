import Encodings
import Foundation
import Secrets
import Synchronization

/// Holds every request of the browser until it is known whether it carries a watched secret, and stops those whose check
/// fails: redirects that repeat a form, forms that a page submits by itself, and requests of its scripts.
///
/// A secret is recognised in every spelling that the redactor knows. A page that encrypts what was typed can send it
/// unseen.
final class SubmissionWatch: Sendable {
    /// The body of a held request, which BiDi's own event does not have.
    private static let bodies = "goog:cdp.Fetch.requestPaused"

    private struct Watched {
        let secret: Secret
        let check: @Sendable () throws -> Void
    }

    private struct State {
        var watched: [Watched] = []
        /// The bodies, and the addresses of held requests, of which the other half has not come yet.
        var bodies: [String: [UInt8]] = [:]
        var held: [String: String] = [:]
        var refusal: (any Error)?
    }

    private let state = Mutex(State())
    /// Lets a held request go on, or ends it. It is called on the connection's thread and must not wait.
    private let release = Mutex<(@Sendable (_ request: String, _ goesOn: Bool) -> Void)?>(nil)

    /// Watches a secret from now on. The last check for the same secret counts.
    func watch(
        _ secret: Secret, on connection: BiDiConnection, before check: @escaping @Sendable () throws -> Void
    ) async throws {
        let isFirst = state.withLock { state in
            let isFirst = state.watched.isEmpty
            state.watched.removeAll { $0.secret.isEqual(to: secret) }
            state.watched.append(Watched(secret: secret, check: check))
            return isFirst
        }
        guard isFirst else { return }
        release.withLock {
            $0 = { request, goesOn in
                Task {
                    _ = try? await connection.call(
                        goesOn ? "network.continueRequest" : "network.failRequest", ["request": .string(request)])
                }
            }
        }
        _ = try await connection.call("session.subscribe", ["events": [.string(Self.bodies)]])
        _ = try await connection.call("network.addIntercept", ["phases": ["beforeRequestSent"]])
    }

    /// Returns the error of a check that stopped a request, once.
    func takeRefusal() -> (any Error)? {
        state.withLock { state in
            defer { state.refusal = nil }
            return state.refusal
        }
    }

    func hear(_ event: BiDiConnection.Event) {
        switch event.method {
        case "network.beforeRequestSent": hold(event.parameters)
        case Self.bodies: note(event.parameters["params"])
        default: break
        }
    }

    private func hold(_ details: JSONValue) {
        guard details["isBlocked"] == true, let request = details["request"], let id = request["request"]?.stringValue
        else { return }
        let url = request["url"]?.stringValue ?? ""
        let hasBody =
            request["bodySize"]?.intValue.map { $0 > 0 } ?? !["GET", "HEAD"].contains(request["method"]?.stringValue)
        let body = state.withLock { state -> [UInt8]? in
            if let body = state.bodies.removeValue(forKey: id) { return body }
            if hasBody { state.held[id] = url }
            return hasBody ? nil : []
        }
        if let body { decide(id, url, body) }
    }

    private func note(_ details: JSONValue?) {
        guard let id = details?["networkId"]?.stringValue, let request = details?["request"],
            request["hasPostData"] == true
        else { return }
        let entries = request["postDataEntries"]?.arrayValue ?? []
        let body = entries.flatMap { Data(base64Encoded: $0["bytes"]?.stringValue ?? "") ?? Data() }
        let url = state.withLock { state -> String? in
            if let url = state.held.removeValue(forKey: id) { return url }
            state.bodies[id] = body
            return nil
        }
        if let url { decide(id, url, body) }
    }

    private func decide(_ id: String, _ url: String, _ body: [UInt8]) {
        let watched = state.withLock { $0.watched }
        var goesOn = true
        for one in watched where one.secret.occurs(inAnyOf: [body, Array(url.utf8)]) {
            do {
                try one.check()
            } catch {
                goesOn = false
                state.withLock { $0.refusal = error }
            }
        }
        release.withLock { $0 }?(id, goesOn)
    }
}
