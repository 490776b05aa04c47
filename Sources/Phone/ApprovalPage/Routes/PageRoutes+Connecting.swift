import Clocks
import Encodings
import Foundation
import Hummingbird
import KeyVault
import Phone
import PhoneStore
import Secrets
import WebURL

// A bank whose interface wants the owner's yes: the way to its page and back.

extension PageRoutes {
    /// The place to which banks lead browsers back, such as `/oauth/monzo`.
    static let returns = "/oauth"

    /// The time that a page waits for the bank's answer before it shows what is known.
    private static let patience: Duration = .seconds(25)

    func addConnecting(to router: RouterGroup<PageContext>) {
        router.post("/banks/:id/connect") { request, context in
            let (session, form) = try await PageRequest.form(request, context)
            let id = try bankID(context)
            try await state.connect(id, with: PassphraseVerification(form.secret("passphrase"), from: .page))
            return Response.redirect(to: "\(session.base)/banks/\(id)/connect", type: .normal)
        }
        router.post("/banks/:id/connect/begin") { request, context in
            let (session, _) = try await PageRequest.json(request, context)
            return Response.json(
                try await state.assertionOptions(for: .connect(try bankID(context), session: session.id)))
        }
        router.post("/banks/:id/connect/passkey") { request, context in
            let (session, json) = try await PageRequest.json(request, context)
            let id = try bankID(context)
            let verification = try await state.verification(
                json["assertion"], for: .connect(id, session: session.id),
                and: Secret(json["passphrase"]?.stringValue ?? ""), from: .page)
            try await state.connect(id, with: verification)
            return Response.json([:])
        }
        router.get("/banks/:id/connect") { _, context in
            let session = try PageRequest.session(context)
            let id = try bankID(context)
            guard let connection = await state.connection(ofBank: id) else { throw PageRefusal.notFound }
            let turn = await connection.turn(within: Self.patience, isAnswered: false)
            return page(of: connection, turn, id, session)
        }
    }

    /// Takes a browser that comes back from a bank. Its cookie stays away on such a way, so the mark that the phone gave it is what
    /// counts, and the page shows nothing but the end of this attempt.
    func addReturns(to router: Router<PageContext>) {
        router.get("\(Self.returns)/:id") { request, context in
            let id = try bankID(context)
            let query = Secret(request.uri.query ?? "")
            guard let connection = await state.connection(ofBank: id), connection.take(query)
            else { throw PageRefusal.notFound }
            let turn = await connection.turn(within: Self.patience, isAnswered: true)
            return page(of: connection, turn, id, nil)
        }
    }

    private func page(
        of connection: PageConnection, _ turn: PageConnection.Turn?, _ id: String, _ session: PageSession?
    ) -> Response {
        var values: [String: Any] = ["name": connection.bankName]
        // A browser that brings only the mark does not learn the page's secret path.
        if let session { values["back"] = "\(session.base)/banks#bank-\(id)" }
        switch turn {
        case .page(let address) where session != nil:
            guard let url = try? URLRecord(parsing: address), let host = url.host?.description,
                ["https", "http"].contains(url.scheme)
            else {
                values["failed"] = PageText.of("connect.no-page")
                break
            }
            values["page"] = address
            values["host"] = host
        case .code(let code):
            values["code"] = code.code
            values["where"] = code.wholePage ?? code.page
        case .connected(let end):
            values["connected"] =
                end.map { PageText.of("connect.until", ["time": PageViews.time($0)]) }
                ?? PageText.of("connect.connected")
        case .failed(let words):
            let sentence = PageText.of("connect.failed")
            values["failed"] =
                PageText.isForeign
                ? PageText.of("refusal.in-english", ["sentence": sentence, "message": words]) : words
        case .page, nil: values["waiting"] = true
        }
        return PageViews.page(
            "connect", title: PageText.of("connect.title", ["bank": connection.bankName]), session: session,
            in: session.map { _ in .banks },
            values)
    }
}
