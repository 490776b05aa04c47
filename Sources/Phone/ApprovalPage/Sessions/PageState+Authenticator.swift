import Authenticator
import Foundation
import KeyVault
import Phone
import PhoneStore
import QRCode
import Secrets
import Storage

/// The tokens of the vault that one browser may see for a short time.
struct ShownTokens: Sendable {
    /// The time for which codes are shown after a verification, in seconds.
    static let lifetime: TimeInterval = 120

    let session: [UInt8]
    let tokens: [Token]
    let until: Date
}

/// The error of a picture or a text that gives no token.
struct NoToken: Error {
    let cause: any Error
}

/// The authenticator: the one-time codes of the vault's tokens. Each look opens the vault anew; afterwards the tokens alone
/// stay in memory, for two minutes and one browser.
extension PageState {
    /// Opens the vault, and lets a browser see the tokens' codes.
    func showTokens(to session: PageSession, with verification: any UserVerification) async throws {
        let secrets = try await home.open(verification, reason: "Show the codes of the vault")
        defer { secrets.close() }
        try await show(home.tokens(secrets).vault().tokens, to: session)
        try await store.audit.record(
            AuditEvent(.totpShown, details: ["tokens": .number(Double(shownTokens?.tokens.count ?? 0))]))
    }

    /// Returns what a browser may see now.
    func tokens(shownTo session: PageSession, at now: Date = Date()) -> ShownTokens? {
        guard let shown = shownTokens, shown.session == session.id, session.isSignedIn, shown.until > now else {
            return nil
        }
        return shown
    }

    /// Adds the tokens of `otpauth://` URIs, and lets the browser see all.
    ///
    /// - Returns: the names of the new tokens; none when the vault has them already.
    /// - Throws: ``NoToken`` when the text holds no token that can be used.
    func addTokens(
        from text: Secret, for session: PageSession, with verification: any UserVerification
    ) async throws -> [String] {
        let found = try Self.tokens(in: text)
        let secrets = try await home.open(verification, reason: "Add a token to the vault")
        defer { secrets.close() }
        let tokens = try await home.tokens(secrets)
        let added = try await tokens.change { try $0.add(contentsOf: found) }
        for token in added { try await store.audit.record(.tokenAdded(issuer: token.issuer)) }
        try await show(tokens.vault().tokens, to: session)
        return added.map { "\($0.issuer), \($0.account)" }
    }

    /// Returns the tokens of a text: at least one.
    private static func tokens(in text: Secret) throws(NoToken) -> [Token] {
        do {
            let found = try TokenImport.read(text) { Secret("") }
            guard found.tokens.isEmpty else { return found.tokens }
            // An import keeps the words of a refusal alone. Read by itself, a URI has an error with a code.
            _ = try OTPAuthURI(text).token()
            throw PhoneError(.invalidSetting, found.refusals.first?.reason ?? "the text holds no token")
        } catch {
            throw NoToken(cause: error)
        }
    }

    private func show(_ tokens: [Token], to session: PageSession) {
        let until = Date().addingTimeInterval(ShownTokens.lifetime)
        shownTokens = ShownTokens(session: session.id, tokens: tokens, until: until)
        Task {
            try? await Task.sleep(for: .seconds(ShownTokens.lifetime))
            // A later look has an end of its own.
            if shownTokens?.until == until { shownTokens = nil }
        }
    }

    /// Forgets the tokens that a browser may see, because its sign-in has ended.
    func hideTokens(from session: PageSession) {
        if shownTokens?.session == session.id { shownTokens = nil }
    }
}
