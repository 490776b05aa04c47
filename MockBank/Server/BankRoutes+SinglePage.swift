import Crypto
import Foundation
import HTTPTypes
import Hummingbird

// The bank as an app of today: one page whose addresses its script makes up, a password that never leaves the page, a
// code in a frame, a list that exists only where it is looked at, and documents that a service worker fetches.

extension BankRoutes {
    func addSinglePage(to router: Router<BasicRequestContext>) {
        router.get("/single-page.js") { _, _ in script(PageResources.singlePage) }
        router.get("/worker.js") { _, _ in script(worker) }
        router.get("/hostile.js") { _, _ in script(hostile) }
        router.get("/frame/code") { _, _ in Response(html: pages.codeFrame()) }
        router.get("/api/challenge") { _, _ in await challengeOfSignIn() }
        router.post("/api/session") { request, _ in try await signInByProof(request) }
        router.post("/api/session/code") { request, _ in try await codeOfFrame(request) }
        router.delete("/api/session") { request, _ in
            if let token = token(of: request) { await sessions.end(token) }
            return Response(status: .noContent)
        }
        router.get("/api/statements") { request, _ in await wholeList(request) }
        router.get("/documents/:account/:month") { request, context in
            await inApp(request) { _ in
                var response = document(request, context)
                // The browser shows it; nothing says that it is to be saved.
                response.headers[.contentDisposition] = "inline"
                return response
            }
        }
        router.get("/away/**") { request, _ in redirect(foreign + request.uri.path.dropFirst("/away".count)) }
        // Every other address is one that the app has made up.
        router.get("/") { _, _ in Response(html: pages.singlePage(isHostile: isHostile)) }
        router.get("/**") { _, _ in Response(html: pages.singlePage(isHostile: isHostile)) }
    }

    private var isHostile: Bool { scenario == .hostileApp }
    private var foreign: String { "\(scheme)://\(configuration.foreignHost)" }

    private func script(_ text: String) -> Response { Response(bytes: Array(text.utf8), type: "text/javascript") }

    private var hostile: String { PageResources.hostile.replacing("FOREIGN", with: configuration.foreignHost) }

    /// The service worker, which in the hostile bank reaches out by itself.
    private var worker: String {
        guard isHostile else { return PageResources.worker }
        return PageResources.worker + "\nfetch(\"\(foreign)/service-worker\", { mode: \"no-cors\" }).catch(() => {});\n"
    }

    /// Answers with what the app needs to prove that it knows the password.
    private func challengeOfSignIn() async -> Response {
        let (token, session) = await sessions.begin()
        var response = json(["salt": Self.salt, "nonce": session.csrf])
        set(token, on: &response)
        return response
    }

    private static let salt = "meridian/2026/"

    /// The proof that a customer knows the password: HMAC-SHA-256 of the challenge, keyed with the salted password's hash.
    private func proof(for nonce: String) -> String {
        let key = SHA256.hash(data: Data((Self.salt + configuration.password).utf8))
        let code = HMAC<SHA256>.authenticationCode(for: Data(nonce.utf8), using: SymmetricKey(data: key))
        return code.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private func signInByProof(_ request: Request) async throws -> Response {
        let fields = try await body(request)
        guard let token = token(of: request), let session = await sessions.session(token), session.stage == .anonymous,
            fields["username"] == configuration.username, fields["proof"] == proof(for: session.csrf)
        else { return refusal(.unauthorized, "invalid_credentials", "The username or password is not right.") }
        var response = json(["state": "code_required"])
        set(await sessions.raise(token, to: .passwordAccepted), on: &response)
        return response
    }

    private func codeOfFrame(_ request: Request) async throws -> Response {
        guard let token = token(of: request), let session = await sessions.session(token),
            session.stage == .passwordAccepted
        else { return refusal(.unauthorized, "no_session", Self.ended) }
        guard isRight(code: try await body(request)["code"]) else {
            return refusal(.unauthorized, "invalid_code", "That code is not right.")
        }
        let fresh = await sessions.raise(token, to: .signedIn)
        var response = json(["token": await sessions.session(fresh)?.csrf ?? ""])
        set(fresh, on: &response)
        return response
    }

    /// Answers with the whole list: the app shows a part of it at a time.
    private func wholeList(_ request: Request) async -> Response {
        await inApp(request) { _ in
            let years = (Self.firstYear...max(Self.firstYear, lastMonth.year)).reversed()
            let items = years.flatMap { year in
                (1...12).reversed().compactMap {
                    statement(account: Account.all[0].id, month: Month(year: year, month: $0))
                }
            }
            return json(["items": items.map(item)])
        }
    }
}
