import Encodings
import Foundation
import HTTPTypes
import Hummingbird
import KeyVault
import Notifications
import Phone
import PhoneStore
import Secrets
import Storage

// What the owner changes on the page besides decisions and passkeys.

extension PageRoutes {
    /// Returns the change that the page's address asks to be told of, if it is the latest.
    func told(_ request: Request) async -> ToldChange? {
        guard let number = request.uri.queryParameters["changed"] else { return nil }
        return await state.change(numbered: String(number))
    }

    // MARK: Banks

    func addBanks(to router: RouterGroup<PageContext>) {
        router.post("/banks/:id/credentials") { request, context in
            let (session, form) = try await PageRequest.form(request, context)
            let id = try bankID(context)
            let credentials = try await fields(of: id) { form.secret("credential-\($0)") }
            try await state.store(
                credentials, of: id, with: PassphraseVerification(form.secret("passphrase"), from: .page))
            let number = await state.note(.credentialsStored(bank: id))
            return Response.redirect(to: session.base + "/banks?changed=\(number)", type: .normal)
        }
        router.post("/banks/:id/credentials/begin") { request, context in
            let (session, _) = try await PageRequest.json(request, context)
            let purpose = ChallengePurpose.changeCredentials(try bankID(context), session: session.id)
            return Response.json(try await state.assertionOptions(for: purpose))
        }
        router.post("/banks/:id/credentials/passkey") { request, context in
            let (session, json) = try await PageRequest.json(request, context)
            let id = try bankID(context)
            let credentials = try await fields(of: id) { Secret(json["credentials"]?[$0]?.stringValue ?? "") }
            let verification = try await state.verification(
                json["assertion"], for: .changeCredentials(id, session: session.id),
                and: Secret(json["passphrase"]?.stringValue ?? ""), from: .page)
            try await state.store(credentials, of: id, with: verification)
            return Response.json([:])
        }
        router.post("/banks/:id/forget-device") { request, context in
            let (session, _) = try await PageRequest.form(request, context)
            let id = try bankID(context)
            // A second press finds it forgotten already.
            _ = try await state.store.forgetDevice(atBank: id)
            let number = await state.note(.deviceForgotten(bank: id))
            return Response.redirect(to: session.base + "/banks?changed=\(number)#bank-\(id)", type: .normal)
        }
    }

    func bankID(_ context: PageContext) throws -> String {
        guard let id = context.parameters.get("id"), !id.isEmpty else { throw PageRefusal.notFound }
        return id
    }

    /// Returns the credentials that the bank's script declares, each with a value. One that is not accepted any more gets none.
    private func fields(
        of bankID: String, _ value: (String) -> Secret
    ) async throws -> [String: Secret] {
        let scripts = try await state.unlocked().scripts
        guard let script = scripts.script(forBank: bankID) else { throw PageRefusal.notFound }
        try VouchedFiles.checkAcceptance(ofBank: bankID, in: scripts, by: state.home)
        let credentials = Dictionary(script.credentials.map { ($0, value($0)) }, uniquingKeysWith: { $1 })
        guard !credentials.isEmpty, !credentials.values.contains(where: \.isEmpty) else { throw PageRefusal.badInput }
        return credentials
    }

    // MARK: Settings

    func addSettings(to router: RouterGroup<PageContext>) {
        router.post("/documents/copies") { request, context in
            let (session, form) = try await PageRequest.form(request, context)
            guard let keep = form["keep"], ["yes", "no"].contains(keep) else { throw PageRefusal.badInput }
            guard keep == "no" else {
                try await state.keepCopies()
                return Response.redirect(to: session.base + "/documents", type: .normal)
            }
            let deleted = try await state.deleteCopies()
            let number = await state.note(.copiesDeleted(deleted))
            return Response.redirect(to: session.base + "/documents?changed=\(number)", type: .normal)
        }
        router.post("/settings/language") { request, context in
            let (session, form) = try await PageRequest.form(request, context)
            guard let code = form["language"] else { throw PageRefusal.badInput }
            try await state.choose(language: code)
            return Response.redirect(to: session.base + "/settings", type: .normal)
        }
        router.post("/browsers/:id/forget") { request, context in
            let (session, _) = try await PageRequest.form(request, context)
            // The own one signs out instead.
            guard let id = context.parameters.get("id"), id != session.browser.id,
                try await state.forget(browser: id)
            else { throw PageRefusal.notFound }
            return Response.redirect(to: session.base + "/settings?forgotten=\(id)", type: .normal)
        }
        router.post("/notifications") { request, context in
            let (session, json) = try await PageRequest.json(request, context)
            guard let key = await state.announcements?.publicKey else { throw PageRefusal.notFound }
            let stored = StoredSubscription(
                endpoint: json["endpoint"]?.stringValue ?? "", publicKey: json["p256dh"]?.stringValue ?? "",
                authentication: json["auth"]?.stringValue ?? "", place: session.place, createdAt: Date())
            do {
                _ = try PushSubscription(stored)
            } catch {
                throw HTTPError(.badRequest, message: "\(error)")
            }
            // Push services take our messages only for a subscription to the present key, so another one would never be heard of.
            guard json["key"]?.stringValue == key else { return Response.json(["key": .string(key)]) }
            let isNew = try await !state.store.pushSubscriptions().contains { $0.endpoint == stored.endpoint }
            try await state.store.keep(stored)
            if isNew { try await state.store.audit.record(AuditEvent(.notificationsAdded)) }
            return Response.json(["key": .string(key)])
        }
        router.post("/notifications/remove") { request, context in
            let (_, json) = try await PageRequest.json(request, context)
            try await state.store.forgetSubscription(json["endpoint"]?.stringValue ?? "")
            try await state.store.audit.record(AuditEvent(.notificationsRemoved))
            return Response.json([:])
        }
    }
}

extension PushSubscription {
    init(_ stored: StoredSubscription) throws(WebPushError) {
        try self.init(
            endpoint: stored.endpoint, publicKey: stored.publicKey, authentication: stored.authentication)
    }
}
