import Encodings
import Foundation
import HTTPTypes
import Hummingbird
import KeyVault
import Messages
import Phone
import PhoneStore
import Secrets

extension PageRoutes {
    // MARK: Signing in and out

    func addSigningIn(to router: RouterGroup<PageContext>) {
        router.post("/sign-in") { request, context in
            let (session, form) = try await PageRequest.form(request, of: PageRequest.admitted(context))
            if let wait = await state.takeTry(from: context.address) {
                return try await signIn(
                    session, back: PageReturn(form["back"]),
                    notice: tooMany(wait),
                    status: .tooManyRequests)
            }
            do {
                let verification = PassphraseVerification(form.secret("passphrase"), from: .signIn)
                guard
                    let (signedIn, cookie) = try await state.signIn(session, from: context.address, verification)
                else { throw PageRefusal.signInFirst }
                return try await to(PageReturn(form["back"]), signedIn, cookie: cookie)
            } catch let error as VaultError {
                return try await signIn(
                    session, back: PageReturn(form["back"]), notice: RefusalWords.again(error), status: .forbidden)
            }
        }
        router.post("/sign-in/passkey/begin") { request, context in
            let (session, _) = try await PageRequest.json(request, of: PageRequest.admitted(context))
            return Response.json(try await state.assertionOptions(for: .signIn(session: session.id)))
        }
        router.post("/sign-in/passkey") { request, context in
            let (session, json) = try await PageRequest.json(request, of: PageRequest.admitted(context))
            let passphrase = Secret(json["passphrase"]?.stringValue ?? "")
            if !passphrase.isEmpty, let wait = await state.takeTry(from: context.address) {
                throw HTTPError(
                    .tooManyRequests,
                    message: tooMany(wait))
            }
            let verification = try await state.verification(
                json["assertion"], for: .signIn(session: session.id), and: passphrase, from: .signIn)
            guard let (signedIn, value) = try await state.signIn(session, from: context.address, verification) else {
                throw PageRefusal.signInFirst
            }
            var response = Response.json([:])
            response.setCookie(cookie.make(value, for: signedIn, at: try await state.relyingParty()))
            return response
        }
        router.post("/sign-out") { request, context in
            let (session, _) = try await PageRequest.form(request, context)
            guard let (signedOut, cookie) = await state.signOut(session) else { throw PageRefusal.signInFirst }
            return try await toHome(signedOut, cookie: cookie)
        }
    }

    private func tooMany(_ wait: Duration) -> String {
        PageText.of("refusal.too-many", ["seconds": String(max(1, wait.components.seconds))])
    }

    // MARK: Deciding

    func addDeciding(to router: RouterGroup<PageContext>) {
        router.post("/requests/:id/deny") { request, context in
            let (session, _) = try await PageRequest.form(request, context)
            try await state.unlocked().deny(requestID(context))
            return try await toHome(session)
        }
        router.post("/requests/:id/approve") { request, context in
            let (session, form) = try await PageRequest.form(request, context)
            let verification = PassphraseVerification(form.secret("passphrase"), from: .page)
            try await state.approve(
                requestID(context), script: form["script"] ?? "", with: [verification],
                confirmingHold: form["try-again"])
            return try await toHome(session)
        }
        router.post("/requests/:id/approve/passkey/begin") { request, context in
            let (session, json) = try await PageRequest.json(request, context)
            let id = try requestID(context)
            let waiting = try await state.unlocked().pending().first { $0.id == id }
            guard let waiting, waiting.script.hex == json["script"]?.stringValue else {
                throw PhoneError(.notPending, "this request does not wait for a decision any more")
            }
            return Response.json(
                try await state.assertionOptions(for: .approve(id, waiting.script, session: session.id)))
        }
        router.post("/requests/:id/approve/passkey") { request, context in
            let (session, json) = try await PageRequest.json(request, context)
            let id = try requestID(context)
            let waiting = try await state.unlocked().pending().first { $0.id == id }
            guard let waiting else {
                throw PhoneError(.notPending, "this request does not wait for a decision any more")
            }
            let passphrase = Secret(json["passphrase"]?.stringValue ?? "")
            var verifications = [
                try await state.verification(
                    json["assertion"], for: .approve(id, waiting.script, session: session.id), and: passphrase,
                    from: .page)
            ]
            // The policy can require both means for this request although the vault opens with the passkey alone.
            if !passphrase.isEmpty, verifications[0].means == .passkey {
                verifications.append(PassphraseVerification(passphrase, from: .page))
            }
            try await state.approve(
                id, script: json["script"]?.stringValue ?? "", with: verifications,
                confirmingHold: json["try_again"]?.stringValue)
            return Response.json([:])
        }
        router.post("/offers/:id/open") { request, context in
            let (session, _) = try await PageRequest.form(request, context)
            _ = try await state.unlocked().open(offerID(context))
            return try await toHome(session)
        }
        router.post("/offers/:id/dismiss") { request, context in
            let (session, _) = try await PageRequest.form(request, context)
            try await state.unlocked().dismiss(offerID(context))
            return try await toHome(session)
        }
        router.post("/questions/:id") { request, context in
            let (session, form) = try await PageRequest.form(request, context)
            let answer = form.secret("answer").map { $0.trimmingCharacters(in: .whitespaces) }
            guard !answer.isEmpty, let id = context.parameters.get("id"), await state.prompt.take(answer, for: id)
            else {
                throw PageRefusal.notFound
            }
            // The person who adds a bank goes on where its questions are.
            if let addition = await state.openAddition {
                return Response.redirect(to: session.base + Self.end(of: addition), type: .normal)
            }
            return try await toHome(session)
        }
    }

    private func offerID(_ context: PageContext) throws -> OfferID {
        guard let id = context.parameters.get("id").flatMap({ OfferID($0) }) else { throw PageRefusal.notFound }
        return id
    }

    // MARK: Passkeys

    func addPasskeys(to router: RouterGroup<PageContext>) {
        router.post("/passkeys/begin") { request, context in
            let (session, json) = try await PageRequest.json(request, context)
            try await state.checkConsent(json, session: session)
            return Response.json(try await state.registrationOptions(session: session))
        }
        router.post("/passkeys") { request, context in
            let (session, json) = try await PageRequest.json(request, context)
            let name = ReportText.cleaned(json["name"]?.stringValue ?? "", limit: 40)
            guard !name.isEmpty else { throw PageRefusal.badInput }
            try await state.register(json, session: session, named: name)
            return Response.json([:])
        }
        router.post("/passkeys/both/begin") { request, context in
            let (session, _) = try await PageRequest.json(request, context)
            return Response.json(try await state.assertionOptions(for: .requireBoth(session: session.id)))
        }
        router.post("/passkeys/both") { request, context in
            let (session, json) = try await PageRequest.json(request, context)
            try await state.requireBoth(json, session: session)
            return Response.json([:])
        }
        router.post("/passkeys/:id/rename") { request, context in
            let (session, form) = try await PageRequest.form(request, context)
            let name = ReportText.cleaned(form["name"] ?? "", limit: 40)
            guard !name.isEmpty else { throw PageRefusal.badInput }
            try await state.renameSlot(context.parameters.get("id") ?? "", to: name)
            return Response.redirect(to: session.base + "/passkeys", type: .normal)
        }
        router.post("/passkeys/:id/remove/begin") { request, context in
            let (session, _) = try await PageRequest.json(request, context)
            let id = context.parameters.get("id") ?? ""
            return Response.json(try await state.assertionOptions(for: .removeSlot(id, session: session.id)))
        }
        router.post("/passkeys/:id/remove") { request, context in
            let (session, json) = try await PageRequest.json(request, context)
            try await state.removeSlot(context.parameters.get("id") ?? "", json, session: session)
            return Response.json([:])
        }
    }
}
