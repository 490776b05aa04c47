import Foundation
import HTTPTypes
import Hummingbird
import JSON
import KeyVault
import Phone
import Secrets

extension PageRoutes {
    // MARK: Signing in and out

    func addSigningIn(to router: Router<PageContext>) {
        router.post("/sign-in") { request, context in
            let form = try await PostedForm(request)
            do {
                return try await begin(PassphraseVerification(form.secret("passphrase")), answer: .toHome)
            } catch let error as VaultError {
                return try await signIn(context, notice: error.message, status: .forbidden)
            }
        }
        router.post("/sign-in/passkey/begin") { _, _ in
            Self.json(try await state.assertionOptions(for: .signIn))
        }
        router.post("/sign-in/passkey") { request, _ in
            let posted = try PostedAssertion(try await PageRequest.json(request)["assertion"])
            return try await begin(try await state.verification(posted, for: .signIn), answer: .json)
        }
        router.post("/sign-out") { request, context in
            let (session, _) = try await PageRequest.form(request, context)
            await state.signOut(session)
            var response = Response.redirect(to: "/", type: .normal)
            response.setCookie(PageCookie.expired(isTLS: configuration.isTLS))
            return response
        }
    }

    private enum Answer { case toHome, json }

    private func begin(_ verification: any UserVerification, answer: Answer) async throws -> Response {
        let (_, cookie) = try await state.signIn(verification)
        var response = answer == .json ? Self.json([:]) : Response.redirect(to: "/", type: .normal)
        response.setCookie(
            PageCookie.make(cookie, lifetime: configuration.sessionLifetime, isTLS: configuration.isTLS))
        return response
    }

    // MARK: Deciding

    func addDeciding(to router: Router<PageContext>) {
        router.post("/requests/:id/deny") { request, context in
            _ = try await PageRequest.form(request, context)
            try await state.unlocked().deny(requestID(context))
            return Response.redirect(to: "/", type: .normal)
        }
        router.post("/requests/:id/approve") { request, context in
            let (_, form) = try await PageRequest.form(request, context)
            let verification = PassphraseVerification(form.secret("passphrase"))
            try await state.approve(
                requestID(context), script: form["script"] ?? "", with: [verification],
                confirmingHold: form["try-again"])
            return Response.redirect(to: "/", type: .normal)
        }
        router.post("/requests/:id/approve/passkey/begin") { request, context in
            let (session, json) = try await PageRequest.json(request, context)
            let id = try requestID(context)
            let waiting = try await state.unlocked().pending().first { $0.id == id }
            guard let waiting, waiting.script.hex == json["script"]?.stringValue else {
                throw PhoneError(.notPending, "this request does not wait for a decision any more")
            }
            return Self.json(
                try await state.assertionOptions(for: .approve(id, waiting.script, session: session.id)))
        }
        router.post("/requests/:id/approve/passkey") { request, context in
            let (session, json) = try await PageRequest.json(request, context)
            let id = try requestID(context)
            let waiting = try await state.unlocked().pending().first { $0.id == id }
            guard let waiting else {
                throw PhoneError(.notPending, "this request does not wait for a decision any more")
            }
            var verifications: [any UserVerification] = [
                try await state.verification(
                    try PostedAssertion(json["assertion"]), for: .approve(id, waiting.script, session: session.id))
            ]
            // Add the passphrase where the request needs both.
            if let passphrase = json["passphrase"]?.stringValue, !passphrase.isEmpty {
                verifications.append(PassphraseVerification(Secret(passphrase)))
            }
            try await state.approve(
                id, script: json["script"]?.stringValue ?? "", with: verifications,
                confirmingHold: json["try_again"]?.stringValue)
            return Self.json([:])
        }
        router.post("/questions/:id") { request, context in
            let (_, form) = try await PageRequest.form(request, context)
            let answer = form.secret("answer")
            guard !answer.isEmpty, let id = context.parameters.get("id"), await state.prompt.take(answer, for: id)
            else {
                throw PageRefusal.notFound
            }
            return Response.redirect(to: "/", type: .normal)
        }
    }

    // MARK: Passkeys

    func addPasskeys(to router: Router<PageContext>) {
        router.post("/passkeys/begin") { request, context in
            let (session, _) = try await PageRequest.json(request, context)
            return Self.json(try await state.registrationOptions(session: session))
        }
        router.post("/passkeys") { request, context in
            let (session, json) = try await PageRequest.json(request, context)
            let name = ReportText.cleaned(json["name"]?.stringValue ?? "", limit: 40)
            guard !name.isEmpty else { throw PageRefusal.badInput }
            let verification = PassphraseVerification(Secret(json["passphrase"]?.stringValue ?? ""))
            try await state.register(json, session: session, named: name, with: verification)
            return Self.json([:])
        }
        router.post("/passkeys/:id/rename") { request, context in
            let (_, form) = try await PageRequest.form(request, context)
            let name = ReportText.cleaned(form["name"] ?? "", limit: 40)
            guard !name.isEmpty else { throw PageRefusal.badInput }
            try await state.renameSlot(context.parameters.get("id") ?? "", to: name)
            return Response.redirect(to: "/passkeys", type: .normal)
        }
        router.post("/passkeys/:id/remove") { request, context in
            let (_, form) = try await PageRequest.form(request, context)
            let verification = PassphraseVerification(form.secret("passphrase"))
            try await state.removeSlot(context.parameters.get("id") ?? "", with: verification)
            return Response.redirect(to: "/passkeys", type: .normal)
        }
    }

    static func json(_ json: JSONValue, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json"],
            body: .init(byteBuffer: .init(bytes: json.compactBytes())))
    }
}
