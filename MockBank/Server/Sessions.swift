import Foundation

/// The visits that are going on.
actor Sessions {
    enum Stage: Sendable, Hashable {
        case anonymous
        /// Name and password were right; the code is missing.
        case passwordAccepted
        case signedIn
    }

    struct Session: Sendable {
        var stage = Stage.anonymous
        let csrf = Sessions.randomToken()
        var codeTries = 0
    }

    private var sessions: [String: Session] = [:]

    static func randomToken() -> String {
        UUID().uuidString.replacing("-", with: "").lowercased()
    }

    func session(_ token: String?) -> Session? { token.flatMap { sessions[$0] } }

    func begin() -> (token: String, session: Session) {
        let token = Self.randomToken()
        let session = Session()
        sessions[token] = session
        return (token, session)
    }

    /// A session that rises a stage gets a new token (session fixation).
    func raise(_ token: String, to stage: Stage) -> String {
        sessions[token] = nil
        let fresh = Self.randomToken()
        var session = Session()
        session.stage = stage
        sessions[fresh] = session
        return fresh
    }

    func countCodeTry(_ token: String) -> Int {
        sessions[token]?.codeTries += 1
        return sessions[token]?.codeTries ?? 0
    }

    func end(_ token: String) { sessions[token] = nil }
}
