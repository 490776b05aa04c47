import Foundation
import Hummingbird

// An old portal in German that does not say so: a search form stands before every other one, buttons are images, the
// code's field has no label, and each row of the list is a form with the document's number in a hidden field.

extension BankRoutes {
    private static let months = [
        "Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November",
        "Dezember",
    ]

    /// The months since this one have a number each.
    private static let numbersBegin = Month(year: firstYear, month: 1)

    func addPortal(to router: Router<BasicRequestContext>) {
        router.get("/login") { request, _ in await portalSignIn(request) }
        router.post("/login") { request, _ in try await portalLogin(request) }
        router.get("/tan") { request, _ in await portalCode(request) }
        router.post("/tan") { request, _ in try await portalCheck(request) }
        router.get("/postfach") { request, _ in await signedIn(request) { portalList(request, $0) } }
        router.post("/auszug") { request, _ in try await portalDocument(request) }
        router.get("/ende") { request, _ in
            if let token = token(of: request) { await sessions.end(token) }
            return page(pages.portal(["ended": true]))
        }
        router.get("/knopf.svg") { _, _ in
            Response(
                bytes: Array("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"40\" height=\"16\"/>".utf8),
                type: "image/svg+xml")
        }
        router.get("/**") { _, _ in page(pages.notFound(), status: .notFound) }
    }

    private func portalSignIn(_ request: Request, error: String? = nil) async -> Response {
        var token = token(of: request)
        var session = await sessions.session(token)
        if session == nil || session?.stage != .anonymous { (token, session) = await sessions.begin() }
        var response = page(pages.portal(["signIn": true, "csrf": session?.csrf, "error": error]))
        if let token { set(token, on: &response) }
        return response
    }

    private func portalLogin(_ request: Request) async throws -> Response {
        let form = try await FormFields(request)
        guard let token = token(of: request), let session = await sessions.session(token),
            form["sitzung"] == session.csrf, form["anmelden.x"] != nil
        else { return await portalSignIn(request) }
        guard isRight(form["kennung"], form["pin"]) else {
            return await portalSignIn(request, error: "Anmeldename oder PIN ist falsch.")
        }
        var response = redirect("/tan")
        set(await sessions.raise(token, to: .passwordAccepted), on: &response)
        return response
    }

    private func portalCode(_ request: Request, error: String? = nil) async -> Response {
        guard let session = await sessions.session(token(of: request)), session.stage == .passwordAccepted else {
            return redirect("/login")
        }
        return page(pages.portal(["code": true, "csrf": session.csrf, "error": error]))
    }

    private func portalCheck(_ request: Request) async throws -> Response {
        let form = try await FormFields(request)
        guard let token = token(of: request), let session = await sessions.session(token),
            session.stage == .passwordAccepted, form["sitzung"] == session.csrf, form["absenden.x"] != nil
        else { return redirect("/login") }
        guard isRight(code: form["tan"]) else { return await portalCode(request, error: "Die TAN ist falsch.") }
        var response = redirect("/postfach")
        set(await sessions.raise(token, to: .signedIn), on: &response)
        return response
    }

    private func portalList(_ request: Request, _ session: Sessions.Session) -> Response {
        let years = Array((Self.firstYear...lastMonth.year).reversed())
        let year = request.uri.queryParameters.get("jahr").flatMap { Int($0) } ?? lastMonth.year
        let rows = (1...12).reversed().map { Month(year: year, month: $0) }.filter { $0 <= lastMonth }.map { month in
            ["name": "\(Self.months[month.month - 1]) \(month.year)", "number": Self.number(of: month)] as [String: Any]
        }
        return page(pages.portal(["list": ["years": years, "rows": rows], "csrf": session.csrf]))
    }

    private func portalDocument(_ request: Request) async throws -> Response {
        let form = try await FormFields(request)
        return await signedIn(request) { session in
            guard form["sitzung"] == session.csrf, let number = form["nr"].flatMap({ Int($0) }), number >= 1000,
                let statement = statement(account: Account.all[0].id, month: Self.month(of: number))
            else { return page(pages.notFound(), status: .notFound) }
            return document(statement)
        }
    }

    private static func number(of month: Month) -> Int {
        1000 + (month.year - numbersBegin.year) * 12 + month.month - numbersBegin.month
    }

    private static func month(of number: Int) -> Month {
        Month(year: numbersBegin.year + (number - 1000) / 12, month: 1 + (number - 1000) % 12)
    }
}
