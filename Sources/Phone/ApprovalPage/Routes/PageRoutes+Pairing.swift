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
        router.get("/devices/pair") { _, context in try await pairingPage(PageRequest.session(context)) }
        router.post("/devices/pair") { request, context in
            let (session, form) = try await PageRequest.form(request, context)
            let pairings = try brokerPairings()
            let typed = form["credential-name"] ?? ""
            return try await PageErrors.telling {
                try await devicesPage(session, typed: typed, notice: $0, status: $1)
            } _: {
                let name = try Self.deviceName(typed)
                try PageErrors.checkPasskeyIsNotNeeded(await state.hasPasskeys())
                try await state.pair(
                    nil, passphrase: form.secret("passphrase"), named: name, pairings, session: session)
                return toPairing(session)
            }
        }
        router.post("/devices/pair/begin") { request, context in
            let (session, _) = try await PageRequest.json(request, context)
            return Response.json(try await state.assertionOptions(for: .pairDevice(session: session.id)))
        }
        router.post("/devices/pair/passkey") { request, context in
            let (session, json) = try await PageRequest.json(request, context)
            let name = try Self.deviceName(json["credentials"]?["name"]?.stringValue ?? "")
            try await state.pair(
                json["assertion"], passphrase: Secret(json["passphrase"]?.stringValue ?? ""), named: name,
                try brokerPairings(), session: session)
            return Response.json([:])
        }
        router.post("/devices/pair/answer") { request, context in
            let (session, form) = try await PageRequest.form(request, context)
            await state.answerPairing(form["pairing"] ?? "", areSame: form["answer"] == "yes", session: session)
            return toPairing(session)
        }
        router.post("/devices/pair/cancel") { request, context in
            let (session, _) = try await PageRequest.form(request, context)
            await state.endPairing(of: session, because: .cancelled)
            return toPairing(session)
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

    private func toPairing(_ session: PageSession) -> Response {
        Response.redirect(to: session.base + "/devices/pair", type: .normal)
    }

    private func pairingPage(_ session: PageSession) async throws -> Response {
        _ = try await state.unlocked()
        // Counted first: a change that happens while the page is made is fetched once more.
        let version = String(state.changes.count)
        var values: [String: Any] = ["version": version]
        if let begun = await state.pairing(seenBy: session) {
            values.merge(try Self.values(begun)) { $1 }
        } else if await state.isPairing {
            values["elsewhere"] = true
        } else {
            return Response.redirect(to: session.base + "/devices", type: .normal)
        }
        return PageViews.page(
            "pair", title: PageText.of("devices.add"), session: session, in: .settings, isLive: true, values)
    }

    private static func values(_ begun: BegunPairing) throws -> [String: Any] {
        var values: [String: Any] = ["pairing": begun.id, "view": String(begun.views), "isOpen": !begun.isOver]
        switch begun.turn {
        case .opening: values["opening"] = true
        case .waiting(let shown):
            values["mayLeave"] = true
            values["waiting"] =
                [
                    "line": shown.line.revealed(), "code": shown.code.revealed(),
                    "symbol": try QRSymbol(shown.uri, correction: .low).svg(title: PageText.of("pair.symbol")),
                    "until": String(Int(shown.expiresAt.timeIntervalSince1970 * 1000)),
                    "left": PageViews.clock(Int(max(0, shown.expiresAt.timeIntervalSinceNow))),
                ] as [String: Any]
        case .claimed(let device, let words):
            values["mayLeave"] = true
            values["claimed"] = ["device": device, "words": words]
        case .answered: values["answered"] = true
        case .paired(let name): values["paired"] = ["name": name]
        case .ended(let reason): values["failure"] = PairingWords.of(reason)
        }
        return values
    }
}
