import Encodings
import Foundation
import HTTPTypes
import Hummingbird
import KeyVault
import Messages
import Phone
import PhoneStore
import Secrets
import WebServing

// The programs elsewhere that ask to become agents: this page is where a person allows them (RFC 6749, section 3.1).

extension PageRoutes {
    func addClients(to router: RouterGroup<PageContext>) {
        router.get("/clients") { request, context in
            try await clientsPage(try PageRequest.session(context), telling: await told(request))
        }
        router.post("/clients/:id/allow") { request, context in
            let (session, form) = try await PageRequest.form(request, context)
            return try await PageErrors.telling {
                try await clientsPage(session, notice: $0, status: $1)
            } _: {
                let agent = try await allow(
                    requestID(context), { form[$0] },
                    with: PassphraseVerification(form.secret("passphrase"), from: .page))
                let number = await state.note(.clientAllowed(agent))
                return Response.redirect(to: "\(session.base)/clients?changed=\(number)", type: .normal)
            }
        }
        router.post("/clients/:id/allow/begin") { request, context in
            let (session, _) = try await PageRequest.json(request, context)
            let purpose = ChallengePurpose.allowClient(try requestID(context), session: session.id)
            return Response.json(try await state.assertionOptions(for: purpose))
        }
        router.post("/clients/:id/allow/passkey") { request, context in
            let (session, json) = try await PageRequest.json(request, context)
            let id = try requestID(context)
            let verification = try await state.verification(
                json["assertion"], for: .allowClient(id, session: session.id),
                and: Secret(json["passphrase"]?.stringValue ?? ""), from: .page)
            let agent = try await allow(id, { json["fields"]?[$0]?.stringValue }, with: verification)
            let number = await state.note(.clientAllowed(agent))
            return Response.json(["agent": .string(agent.description), "changed": .string(String(number))])
        }
        router.post("/clients/:id/deny") { request, context in
            let (session, _) = try await PageRequest.form(request, context)
            try await state.unlocked().deny(client: requestID(context))
            return Response.redirect(to: session.base + "/clients", type: .normal)
        }
        router.post("/clients/:id/remove") { request, context in
            let (session, _) = try await PageRequest.form(request, context)
            guard let agent = context.parameters.get("id").flatMap({ AgentName($0) }) else {
                throw PageRefusal.notFound
            }
            try await state.unlocked().remove(client: agent)
            let number = await state.note(.clientRemoved(agent))
            return Response.redirect(to: "\(session.base)/clients?changed=\(number)", type: .normal)
        }
    }

    private func clientsPage(
        _ session: PageSession, telling change: ToldChange? = nil, notice: String? = nil,
        status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        let runner = try await state.unlocked()
        let list = try await runner.clients()
        let view = ClientsView(
            list: list, banks: try await askableBanks(runner).map { ($0.id, $0.name) },
            slots: try state.home.vault.slots(), csrf: session.csrfToken)
        var values = view.values
        switch change {
        case .clientAllowed(let agent)?: values["allowedNow"] = agent.description
        // Its name may be allowed again since.
        case .clientRemoved(let agent)? where !list.allowed.contains(where: { $0.agent == agent }):
            values["removed"] = agent.description
        default: break
        }
        return PageViews.page(
            "clients", title: PageText.of("clients.title"), session: session, in: .settings, notice: notice, values,
            status: status)
    }

    /// Allows a program within what the person has chosen.
    ///
    /// - Parameter field: returns a posted field.
    private func allow(
        _ id: Messages.RequestID, _ field: (String) -> String?, with verification: any UserVerification
    ) async throws -> AgentName {
        let runner = try await state.unlocked()
        guard let agent = field("agent").flatMap({ AgentName($0.trimmingCharacters(in: .whitespaces)) }) else {
            throw PhoneError(
                .invalidSetting,
                "choose a name of 1 to 40 lower-case letters, digits, dots, hyphens and underscores")
        }
        let banks = try await askableBanks(runner).map(\.id)
        let chosen = banks.filter { field("bank-\($0)") == "on" }
        let kinds = DocumentKind.allCases.filter { field("kind-\($0.rawValue)") == "on" }
        guard banks.isEmpty || !chosen.isEmpty, !kinds.isEmpty else {
            throw PhoneError(.invalidSetting, "choose at least one bank and one kind of file")
        }
        guard let perDay = field("per-day").flatMap({ Int($0) }), (1...ClientLimits.mostPerDay).contains(perDay) else {
            throw PhoneError(.invalidSetting, "choose 1 to \(ClientLimits.mostPerDay) requests within 24 hours")
        }
        guard let waiting = try await runner.clients().waiting.first(where: { $0.id == id }) else {
            throw PhoneError(.notPending, "this program does not wait any more; begin again at the program")
        }
        let limits = ClientLimits(
            banks: banks.isEmpty ? nil : chosen, kinds: kinds.count == DocumentKind.allCases.count ? nil : kinds,
            perDay: perDay)
        try await runner.allow(
            waiting, number: (field("number") ?? "").trimmingCharacters(in: .whitespaces), as: agent, limits: limits,
            with: verification)
        return agent
    }
}
