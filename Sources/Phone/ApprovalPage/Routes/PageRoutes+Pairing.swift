import DeviceTrust
import Encodings
import Foundation
import HTTPTypes
import Hummingbird
import QRCode
import Secrets
import WebServing

// The pairing of another device: its code, the words to compare, and its end.

extension PageRoutes {
    func addPairing(to router: RouterGroup<PageContext>) {
        router.get("/devices/pair") { _, context in try await pairingUnderWay(PageRequest.session(context)) }
        router.get("/devices/pair/:token") { request, context in
            try await pairingPage(
                PageRequest.session(context), context.parameters.get("token") ?? "",
                isLoad: request.headers[.pageRenewal] == nil)
        }
        router.post("/devices/pair") { request, context in
            let (session, form) = try await PageRequest.form(request, context)
            let pairings = try brokerPairings()
            let typed = form["credential-name"] ?? ""
            return try await PageErrors.telling {
                try await devicesPage(session, typed: typed, notice: $0, status: $1)
            } _: {
                let name = try Self.deviceName(typed)
                try PageErrors.checkPasskeyIsNotNeeded(await state.hasPasskeys())
                let token = try await state.pair(
                    nil, passphrase: form.secret("passphrase"), named: name, pairings, session: session)
                return Response.redirect(to: session.base + Self.place(token), type: .normal)
            }
        }
        router.post("/devices/pair/begin") { request, context in
            let (session, _) = try await PageRequest.json(request, context)
            return Response.json(try await state.assertionOptions(for: .pairDevice(session: session.id)))
        }
        router.post("/devices/pair/passkey") { request, context in
            let (session, json) = try await PageRequest.json(request, context)
            let name = try Self.deviceName(json["credentials"]?["name"]?.stringValue ?? "")
            let token = try await state.pair(
                json["assertion"], passphrase: Secret(json["passphrase"]?.stringValue ?? ""), named: name,
                try brokerPairings(), session: session)
            return Response.json(["place": .string(Self.place(token))])
        }
        router.post("/devices/pair/answer") { request, context in
            let (session, form) = try await PageRequest.form(request, context)
            await state.answerPairing(form["pairing"] ?? "", areSame: form["answer"] == "yes", session: session)
            return await back(to: form, session)
        }
        router.post("/devices/pair/cancel") { request, context in
            let (session, form) = try await PageRequest.form(request, context)
            await state.endPairing(form["under-way"] ?? "", of: session, because: .cancelled)
            return await back(to: form, session)
        }
        router.post("/devices/pair/leave") { request, context in
            let (session, form) = try await PageRequest.form(request, context)
            await state.leavePairing(
                form["pairing"] ?? "", view: form["view"].flatMap { Int($0) } ?? 0, session: session)
            return Response(status: .noContent)
        }
    }

    /// Returns the pairings with the broker of this machine.
    private func brokerPairings() throws -> any PagePairings {
        guard let pairings = configuration.pairings, pairings.arePossible else { throw PageRefusal.notFound }
        return pairings
    }

    /// Returns the name that the owner gives the device; nil for an empty one.
    private static func deviceName(_ typed: String) throws -> String? {
        let name = typed.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !name.isEmpty else { return nil }
        guard let checked = DeviceName.checked(name) else {
            throw HTTPError(.conflict, message: PageText.of("pair.name-refused"))
        }
        return checked
    }

    /// Returns the address of a pairing's page; without its token, that of the page without the code.
    private static func place(_ token: Secret?) -> String {
        "/devices/pair" + (token.map { "/" + $0.revealed() } ?? "")
    }

    /// Leads back to the page from which a form came.
    private func back(to form: PostedForm, _ session: PageSession) async -> Response {
        let begun = await state.pairing(form["pairing"] ?? "", seenBy: session)
        return Response.redirect(to: session.base + Self.place(begun?.token), type: .normal)
    }

    /// Tells that a pairing is under way, without its code and its words.
    private func pairingUnderWay(_ session: PageSession) async throws -> Response {
        _ = try await state.unlocked()
        // Counted first: a change that happens while the page is made is fetched once more.
        let version = String(state.changes.count)
        if let id = await state.pairingUnderWay(of: session) {
            return page(
                session,
                [
                    "version": version, "otherPage": true, "isOpen": true, "mayCancel": true, "underWay": id.uuidString,
                ])
        }
        guard await state.isPairing else { return Response.redirect(to: session.base + "/devices", type: .normal) }
        return page(session, ["version": version, "elsewhere": true])
    }

    /// - Parameter isLoad: false when the page's script renews what it shows.
    private func pairingPage(_ session: PageSession, _ token: String, isLoad: Bool) async throws -> Response {
        _ = try await state.unlocked()
        let version = String(state.changes.count)
        guard let begun = await state.pairing(token, seenBy: session) else {
            return Response.redirect(to: session.base + "/devices/pair", type: .normal)
        }
        var values = try Self.values(begun)
        values["version"] = version
        if isLoad { values["view"] = String(await state.openView(of: begun)) }
        return page(session, values)
    }

    private func page(_ session: PageSession, _ values: [String: Any]) -> Response {
        PageViews.page(
            "pair", title: PageText.of("devices.add"), session: session, in: .settings, isLive: true, values)
    }

    private static func values(_ begun: BegunPairing) throws -> [String: Any] {
        var values: [String: Any] = [
            "pairing": begun.token.revealed(), "underWay": begun.id.uuidString, "isOpen": !begun.isOver,
            "mayCancel": !begun.isOver,
        ]
        switch begun.turn {
        case .opening:
            values["mayLeave"] = true
            values["opening"] = true
        case .waiting(let shown):
            values["mayLeave"] = true
            var waiting: [String: Any] = [
                "line": shown.line.revealed(), "code": shown.code.revealed(), "isHere": shown.isForThisMachine,
                "symbol": try QRSymbol(shown.uri, correction: .low).svg(title: PageText.of("pair.symbol")),
                "until": String(Int(shown.expiresAt.timeIntervalSince1970 * 1000)),
                "left": PageViews.clock(Int(max(0, shown.expiresAt.timeIntervalSinceNow))),
            ]
            if let inbox = shown.inbox { waiting["documents"] = ["inbox": inbox] }
            values["waiting"] = waiting
        case .claimed(let device, let words):
            // No ends it, too.
            values["mayCancel"] = false
            var claimed: [String: Any] = ["device": device, "words": words]
            if let name = begun.name { claimed["named"] = ["name": name] }
            values["claimed"] = claimed
        case .answered: values["answered"] = true
        case .paired(let name): values["paired"] = ["name": name]
        case .ended(let reason): values["failure"] = PairingWords.of(reason)
        }
        return values
    }
}
