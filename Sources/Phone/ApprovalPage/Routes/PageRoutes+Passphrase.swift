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
    /// The time for which the page tells of a change, in seconds.
    private static let toldFor: TimeInterval = 600

    func addPassphrase(to router: RouterGroup<PageContext>) {
        router.get("/passphrase") { request, context in
            try await passphrasePage(
                PageRequest.session(context), isBack: request.uri.queryParameters["changed"] != nil)
        }
        router.post("/passphrase") { request, context in
            let (session, form) = try await PageRequest.form(request, context)
            do {
                let new = try Self.new(form.secret("credential-new"), form.secret("credential-again"))
                guard try !state.home.vault.slots().contains(where: { !$0.isPassphrase }) else {
                    throw HTTPError(.conflict, message: PageText.of("passphrase.wants-passkey"))
                }
                try await state.changePassphrase(nil, from: form.secret("passphrase"), to: new, session: session)
                return Response.redirect(to: session.base + "/passphrase?changed", type: .normal)
            } catch let error as VaultError {
                return try await passphrasePage(session, notice: RefusalWords.again(error), status: .forbidden)
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
            let new = try Self.new(typed(json["credentials"]?["new"]), typed(json["credentials"]?["again"]))
            try await state.changePassphrase(
                json["assertion"], from: typed(json["passphrase"]), to: new, session: session)
            return Response.json([:])
        }
    }

    /// Returns the passphrase that was typed twice.
    private static func new(_ first: Secret, _ second: Secret) throws -> Secret {
        guard first.isEqual(to: second) else { throw HTTPError(.conflict, message: PageText.of("passphrase.differ")) }
        return first
    }

    /// - Parameter isBack: the browser says that it has just changed the passphrase. The page tells so if the log does, too.
    private func passphrasePage(
        _ session: PageSession, isBack: Bool = false, notice: String? = nil, status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        _ = try await state.unlocked()
        let slots = try state.home.vault.slots()
        var values: [String: Any] = [
            "byPasskey": slots.contains { !$0.isPassphrase }, "others": slots.count { !$0.isPassphrase } > 1,
            "shortest": String(Vault.shortestPassphrase),
        ]
        if isBack {
            let records = try await state.store.audit.records(
                AuditFilter(type: AuditKind.vaultRekeyed.rawValue, limit: 1))
            values["changed"] = records.last.map { $0.event.time > Date(timeIntervalSinceNow: -Self.toldFor) } ?? false
        }
        return PageViews.page(
            "passphrase", title: PageText.of("passphrase.title"), session: session, in: .settings, notice: notice,
            values,
            status: status)
    }
}
