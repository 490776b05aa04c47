import Encodings
import HTTPTypes
import Hummingbird
import KeyVault
import Phone
import PhoneStore
import Secrets
import WebServing

// The deletion of this phone, after which its page ends.

extension PageRoutes {
    func addForgetting(to router: RouterGroup<PageContext>) {
        router.get("/forget") { _, context in try await forgetPage(PageRequest.session(context)) }
        router.post("/forget") { request, context in
            let (session, form) = try await PageRequest.form(request, context)
            return try await PageErrors.telling {
                try await forgetPage(session, notice: $0, status: $1)
            } _: {
                try Self.check(isSure: form.isOn("credential-sure"))
                try PageErrors.checkPasskeyIsNotNeeded(await state.hasPasskeys())
                let deletion = try await state.forgetPhone(
                    nil, passphrase: form.secret("passphrase"), session: session)
                let (title, values) = Self.words(on: deletion)
                let status: HTTPResponse.Status = deletion.failure == nil ? .ok : .internalServerError
                return PageViews.page("forgotten", title: title, session: nil, values, status: status)
                    .asLast(of: state)
            }
        }
        router.post("/forget/begin") { request, context in
            let (session, _) = try await PageRequest.json(request, context)
            return Response.json(try await state.assertionOptions(for: .forgetPhone(session: session.id)))
        }
        router.post("/forget/passkey") { request, context in
            let (session, json) = try await PageRequest.json(request, context)
            try Self.check(isSure: json["credentials"]?["sure"]?.stringValue == "on")
            let passphrase = Secret(json["passphrase"]?.stringValue ?? "")
            let deletion = try await state.forgetPhone(json["assertion"], passphrase: passphrase, session: session)
            let (title, values) = Self.words(on: deletion)
            // The script shows it: the server answers no other request.
            let page = PageViews.text("forgotten", title: title, session: nil, values)
            return Response.json(["last": .string(page)]).asLast(of: state)
        }
    }

    /// The browser asks for the tick as well, but a form can be posted without one.
    private static func check(isSure: Bool) throws {
        guard isSure else { throw HTTPError(.conflict, message: PageText.of("forget.unsure")) }
    }

    private func forgetPage(
        _ session: PageSession, notice: String? = nil, status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        _ = try await state.unlocked()
        return PageViews.page(
            "forget", title: PageText.of("settings.forget"), session: session, in: .settings, notice: notice,
            ["byPasskey": try await state.hasPasskeys()], status: status)
    }

    /// Returns the title of the last page, and its values.
    static func words(on deletion: PhoneDeletion) -> (title: String, values: [String: Any]) {
        var values: [String: Any] = ["ended": true]
        if let failure = deletion.failure {
            values["problem"] = RefusalWords.of(failure)
            return (PageText.of("forget.failed"), values)
        }
        if !deletion.left.isEmpty { values["left"] = ["names": deletion.left.joined(separator: ", ")] }
        return (PageText.of("forget.done"), values)
    }
}

extension Response {
    /// Returns the answer after which the server ends: when it has been written, or cannot be.
    fileprivate func asLast(of state: PageState) -> Response {
        var response = self
        let body = response.body
        let lastAnswer = state.lastAnswer.continuation
        response.body = ResponseBody(contentLength: body.contentLength) { writer in
            defer { lastAnswer.finish() }
            try await body.write(writer)
        }
        return response
    }
}
