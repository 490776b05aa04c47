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
            do {
                let old = form.secret("passphrase")
                let new = try Self.new(form.secret("credential-new"), form.secret("credential-again"), after: old)
                guard try !state.home.vault.slots().contains(where: { !$0.isPassphrase }) else {
                    throw HTTPError(.conflict, message: PageText.of("passphrase.wants-passkey"))
                }
                try await state.changePassphrase(nil, from: old, to: new, session: session)
                configuration.onNewPassphrase(new)
                let number = await state.note(.passphrase)
                return Response.redirect(to: session.base + "/passphrase?changed=\(number)", type: .normal)
            } catch let error as VaultError {
                return try await passphrasePage(session, notice: RefusalWords.again(error), status: .forbidden)
            } catch let error as PhoneError {
                return try await passphrasePage(session, notice: RefusalWords.of(error), status: .conflict)
            } catch let error as HTTPError {
                return try await passphrasePage(session, notice: error.body, status: error.status)
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
            try await state.changePassphrase(json["assertion"], from: old, to: new, session: session)
            configuration.onNewPassphrase(new)
            return Response.json(["changed": .string(String(await state.note(.passphrase)))])
        }
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
