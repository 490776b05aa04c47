import Foundation
import HTTPTypes
import Hummingbird

// A sign-in on another host, which hands the customer over to the bank.

extension BankRoutes {
    private static let state = "meridian_state"

    func addHandOver(to router: Router<BasicRequestContext>) {
        router.post("/saml/acs") { request, _ in try await assertion(request) }
        router.post("/callback") { request, _ in try await callback(request) }
    }

    /// Begins an authorization of OpenID Connect: the state goes into a cookie and to the other host.
    func authorization(_ request: Request) -> Response? {
        guard scenario == .formPost, let host = request.head.authority, host.hasPrefix("localhost"),
            request.uri.queryParameters.get("state") == nil
        else { return nil }
        let state = Sessions.randomToken()
        var response = redirect("\(scheme)://127.0.0.1\(host.dropFirst("localhost".count))/login?state=\(state)")
        response.headers[.setCookie] = "\(Self.state)=\(state); Path=/; HttpOnly"
        return response
    }

    /// Remembers the state on the host that signs the customer in.
    func keepState(of request: Request, in response: inout Response) {
        guard scenario == .formPost, let state = request.uri.queryParameters.get("state"),
            state.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) })
        else { return }
        response.headers.append(.init(name: .setCookie, value: "\(Self.state)=\(state); Path=/; HttpOnly"))
    }

    /// Sends the customer back to the bank with a single-use ticket.
    func handOver(_ ticket: String, to bank: String, at request: Request) -> Response {
        switch scenario {
        case .samlSignIn:
            let answer =
                "<samlp:Response xmlns:samlp=\"urn:oasis:names:tc:SAML:2.0:protocol\" ID=\"_\(ticket)\" Version=\"2.0\"/>"
            return page(
                pages.handOver(
                    to: bank + "/saml/acs",
                    [("SAMLResponse", Data(answer.utf8).base64EncodedString()), ("RelayState", "/accounts")]))
        case .formPost:
            return page(
                pages.handOver(
                    to: bank + "/callback", [("code", ticket), ("state", request.cookies[Self.state]?.value ?? "")]))
        default: return redirect("\(bank)/arrive?ticket=\(ticket)")
        }
    }

    /// Takes a SAML response (SAML 2.0 bindings, section 3.5).
    private func assertion(_ request: Request) async throws -> Response {
        let form = try await FormFields(request)
        guard scenario == .samlSignIn, let sent = form["SAMLResponse"], let data = Data(base64Encoded: sent),
            let ticket = String(decoding: data, as: UTF8.self).firstMatch(of: /ID="_([0-9a-f]+)"/)?.output.1,
            form["RelayState"] == "/accounts"
        else { return redirect("/login") }
        return await arrival(with: String(ticket))
    }

    /// Takes a code by POST (OAuth 2.0 form post response mode).
    private func callback(_ request: Request) async throws -> Response {
        let form = try await FormFields(request)
        guard scenario == .formPost, let code = form["code"], let state = request.cookies[Self.state]?.value,
            form["state"] == state
        else { return redirect("/login") }
        return await arrival(with: code)
    }

    func arrival(with ticket: String) async -> Response {
        guard let token = await sessions.redeem(ticket) else { return redirect("/login") }
        var response = redirect("/accounts")
        set(token, on: &response)
        return response
    }
}
