import Encodings
import Foundation
import HTTPTypes
import Hummingbird
import KeyVault
import Phone
import PhoneStore
import Secrets
import Storage
import WebServing

// The passphrase of the vault, and its change.

extension PageRoutes {
    func addPassphrase(to router: RouterGroup<PageContext>) {
        router.get("/passphrase") { request, context in
            try await passphrasePage(PageRequest.session(context), isChanged: await told(request) == .passphrase)
        }
        router.post("/passphrase") { request, context in
            let (session, form) = try await PageRequest.form(request, context)
            return try await PageErrors.telling {
                try await passphrasePage(session, notice: $0, status: $1)
            } _: {
                let old = form.secret("passphrase")
                let new = try Self.new(form.secret("credential-new"), form.secret("credential-again"), after: old)
                try PageErrors.checkPasskeyIsNotNeeded(await state.hasPasskeys())
                let number = try await change(nil, from: old, to: new, session)
                return Response.redirect(to: session.base + "/passphrase?changed=\(number)", type: .normal)
            }
        }
        router.post("/passphrase/begin") { request, context in
            let (session, _) = try await PageRequest.json(request, context)
            return Response.json(try await state.assertionOptions(for: .changePassphrase(session: session.id)))
        }
        router.post("/passphrase/passkey") { request, context in
            let (session, json) = try await PageRequest.json(request, context)
            func typed(_ value: JSONValue?) -> Secret { Secret(value?.stringValue ?? "") }
            let old = typed(json["passphrase"])
            let new = try Self.new(
                typed(json["credentials"]?["new"]), typed(json["credentials"]?["again"]), after: old)
            let number = try await change(json["assertion"], from: old, to: new, session)
            return Response.json(["changed": .string(String(number))])
        }
    }

    /// Changes the passphrase.
    ///
    /// - Returns: the number of the change, for the page's address.
    private func change(
        _ assertion: JSONValue?, from old: Secret, to new: Secret, _ session: PageSession
    ) async throws -> Int {
        try await state.changePassphrase(assertion, from: old, to: new, session: session)
        configuration.onNewPassphrase(new)
        return await state.note(.passphrase)
    }

    /// Returns the passphrase that was typed twice. A mistake in it is told before the old one is tried, which takes time.
    private static func new(_ first: Secret, _ second: Secret, after old: Secret) throws -> Secret {
        guard first.isEqual(to: second) else { throw HTTPError(.conflict, message: PageText.of("passphrase.differ")) }
        try Vault.checkStrength(of: first)
        guard !first.isEqual(to: old) else { throw HTTPError(.conflict, message: PageText.of("passphrase.same")) }
        return first
    }

    private func passphrasePage(
        _ session: PageSession, isChanged: Bool = false, notice: String? = nil, status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        _ = try await state.unlocked()
        let slots = try state.home.vault.slots()
        let values: [String: Any] = [
            "byPasskey": slots.contains { !$0.isPassphrase }, "others": slots.count { !$0.isPassphrase } > 1,
            "shortest": String(Vault.shortestPassphrase), "changed": isChanged,
        ]
        return PageViews.page(
            "passphrase", title: PageText.of("passphrase.title"), session: session, in: .settings, notice: notice,
            values,
            status: status)
    }
}
