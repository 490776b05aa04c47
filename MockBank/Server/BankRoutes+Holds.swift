import Hummingbird

// Pages that the bank shows between sign-in and overview.

/// A page that the customer must complete before continuing.
struct Hold: Sendable {
    let path: String
    /// Returns whether the form is filled in correctly.
    let isSatisfied: @Sendable (FormFields) -> Bool
}

extension BankRoutes {
    var hold: Hold? {
        switch scenario {
        case .passwordExpired:
            Hold(path: "/new-password") { form in
                (form["new"]?.count ?? 0) >= 10 && form["new"] == form["repeated"]
            }
        case .termsToAccept: Hold(path: "/terms") { $0["accepted"] == "yes" }
        case .extraIdentification: Hold(path: "/question") { !($0["answer"] ?? "").isEmpty }
        default: nil
        }
    }

    func addHolds(to router: Router<BasicRequestContext>) {
        router.get("/offer") { request, _ in await signedIn(request) { page(pages.offer(csrf: $0.csrf)) } }
        guard let hold else { return }
        router.get(.init(hold.path)) { request, _ in await holdPage(request) }
        router.post(.init(hold.path)) { request, _ in try await passHold(request, hold) }
    }

    private func holdPage(_ request: Request, error: String? = nil) async -> Response {
        guard let session = await sessions.session(token(of: request)), session.stage == .heldBack else {
            return redirect("/login")
        }
        return switch scenario {
        case .passwordExpired: page(pages.newPassword(csrf: session.csrf, error: error))
        case .termsToAccept: page(pages.terms(csrf: session.csrf, error: error))
        default: page(pages.question(csrf: session.csrf, error: error))
        }
    }

    private func passHold(_ request: Request, _ hold: Hold) async throws -> Response {
        let form = try await FormFields(request)
        guard let token = token(of: request), let session = await sessions.session(token), session.stage == .heldBack,
            form["_csrf"] == session.csrf
        else { return redirect("/login") }
        guard hold.isSatisfied(form) else { return await holdPage(request, error: "That is not quite it yet.") }
        var response = redirect("/accounts")
        set(await sessions.raise(token, to: .signedIn), on: &response)
        return response
    }
}
