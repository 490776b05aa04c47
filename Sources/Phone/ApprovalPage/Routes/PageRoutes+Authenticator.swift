import Authenticator
import Encodings
import Foundation
import Hummingbird
import KeyVault
import Phone
import PhoneStore
import QRCode
import Secrets

/// The authenticator: all codes of the vault with their time, and new tokens from a picture or a URI.
extension PageRoutes {
    /// The most bytes of a posted picture, in base64. The page's script makes pictures small before it sends them.
    private static let largestPicture = 4 << 20

    func addAuthenticator(to router: RouterGroup<PageContext>) {
        router.get("/authenticator") { request, context in try await authenticator(request, context) }
        router.post("/authenticator") { request, context in
            let (session, form) = try await PageRequest.form(request, context)
            try await state.showTokens(
                to: session, with: PassphraseVerification(form.secret("passphrase"), from: .page))
            return Response.redirect(to: session.base + "/authenticator", type: .normal)
        }
        router.post("/authenticator/begin") { request, context in
            let (session, _) = try await PageRequest.json(request, context)
            return Response.json(try await state.assertionOptions(for: .showTokens(session: session.id)))
        }
        router.post("/authenticator/passkey") { request, context in
            let (session, json) = try await PageRequest.json(request, context)
            let verification = try await state.verification(
                json["assertion"], for: .showTokens(session: session.id),
                and: Secret(json["passphrase"]?.stringValue ?? ""), from: .page)
            try await state.showTokens(to: session, with: verification)
            return Response.json([:])
        }
        router.post("/authenticator/tokens/begin") { request, context in
            let (session, _) = try await PageRequest.json(request, context)
            return Response.json(try await state.assertionOptions(for: .addToken(session: session.id)))
        }
        router.post("/authenticator/tokens") { request, context in
            let (session, json) = try await PageRequest.json(request, context, upTo: Self.largestPicture)
            let verification = try await verification(json, of: session)
            let added = try await state.addTokens(from: Self.text(of: json), for: session, with: verification)
            return Response.json(["added": .array(added.map(JSONValue.string))])
        }
    }

    private func verification(_ json: JSONValue, of session: PageSession) async throws -> any UserVerification {
        let passphrase = Secret(json["passphrase"]?.stringValue ?? "")
        guard json["assertion"]?.objectValue != nil else { return PassphraseVerification(passphrase, from: .page) }
        return try await state.verification(
            json["assertion"], for: .addToken(session: session.id), and: passphrase, from: .page)
    }

    /// Returns the URI that was typed, or those of the picture's QR codes.
    private static func text(of json: JSONValue) async throws -> Secret {
        if let uri = json["uri"]?.stringValue, !uri.isEmpty { return Secret(uri) }
        guard let picture = Base64URL.decode(json["picture"]) else { throw PageRefusal.badInput }
        do {
            let texts = try await QRCodeReader.texts(in: picture)
            return Secret(texts.map { $0.revealed() }.joined(separator: "\n"))
        } catch let error as QRCodeError {
            throw NoToken(cause: error)
        }
    }

    private func authenticator(_ request: Request, _ context: PageContext) async throws -> Response {
        let session = try PageRequest.session(context)
        _ = try await state.unlocked()
        let slots = try state.home.vault.slots()
        let needsBoth = slots.contains(where: \.needsBoth)
        var values: [String: Any] = [
            "byPasskey": !needsBoth && slots.contains { !$0.isPassphrase }, "byPassphrase": !needsBoth,
            "both": needsBoth,
        ]
        let now = Date()
        if let shown = await state.tokens(shownTo: session, at: now) {
            let links = try await state.store.linkedTokens()
            values["shown"] =
                [
                    "until": Self.milliseconds(shown.until),
                    "left": PageViews.clock(Int(shown.until.timeIntervalSince(now))),
                    "tokens": shown.tokens.map { Self.values($0, links, at: now) },
                ] as [String: Any]
        }
        return PageViews.page(
            "authenticator", title: PageText.of("codes.title"), session: session, in: .settings, values)
    }

    private static func values(_ token: Token, _ links: [LinkedToken], at now: Date) -> [String: Any] {
        let code = token.code(at: now)
        var values: [String: Any] = [
            "id": token.id.uuidString, "issuer": token.issuer, "account": token.account,
            "code": code.grouped.revealed(), "ends": milliseconds(code.ends),
            "left": PageViews.clock(Int(code.timeLeft(at: now))),
        ]
        let banks = links.filter { $0.tokenID == token.id }.map(\.bankID)
        if !banks.isEmpty { values["banks"] = banks.joined(separator: ", ") }
        return values
    }

    /// Returns a time as a script of the page counts it.
    private static func milliseconds(_ time: Date) -> String { String(Int(time.timeIntervalSince1970 * 1000)) }
}
