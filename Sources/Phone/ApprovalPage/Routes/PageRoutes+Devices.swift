import Foundation
import HTTPTypes
import Hummingbird
import KeyVault
import Phone
import WebServing

// The devices that are paired with this phone's broker. The broker shows them to a device alone, so each look opens the vault.

extension PageRoutes {
    func devices(_ context: PageContext) async throws -> Response {
        try await devicesPage(try PageRequest.session(context))
    }

    func addDevices(to router: RouterGroup<PageContext>) {
        router.post("/devices") { request, context in
            let (session, form) = try await PageRequest.form(request, context)
            return try await trying(session) {
                let listed = try await state.devices(
                    with: PassphraseVerification(form.secret("passphrase"), from: .page))
                return try await devicesPage(session, listed)
            }
        }
        router.post("/devices/:id/remove") { request, context in
            let (session, form) = try await PageRequest.form(request, context)
            let id = context.parameters.get("id") ?? ""
            return try await trying(session) {
                let removed = try await state.remove(
                    device: id, with: PassphraseVerification(form.secret("passphrase"), from: .page))
                return try await devicesPage(session, removed: removed)
            }
        }
    }

    /// Makes a page with the vault's passphrase, and shows the form again when that is wrong.
    private func trying(_ session: PageSession, _ body: () async throws -> Response) async throws -> Response {
        do {
            return try await body()
        } catch let error as VaultError {
            return try await devicesPage(session, notice: RefusalWords.again(error), status: .forbidden)
        }
    }

    /// - Parameter typed: the name of a device to add, from a form that was refused.
    func devicesPage(
        _ session: PageSession, _ listed: [PairedDevices.Device]? = nil, removed: String? = nil, typed: String = "",
        notice: String? = nil, status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        var values: [String: Any] = [
            "isPaired": try await state.unlocked().isPaired,
            "needsBoth": try state.home.vault.slots().contains(where: \.needsBoth),
        ]
        values["removed"] = removed
        if configuration.pairings?.arePossible == true {
            values["adding"] =
                [
                    "underWay": await state.isPairing, "byPasskey": try await state.hasPasskeys(), "typed": typed,
                ] as [String: Any]
        }
        if let listed {
            values["listed"] = [
                "devices": listed.map { device in
                    var row: [String: Any] = ["name": device.name, "id": device.id.short, "own": device.isThisPhone]
                    row["seen"] = device.lastSeenAt.map { PageViews.moment($0.date) }
                    if !device.isThisPhone {
                        row["remove"] = [
                            "device": device.id.description, "called": device.name, "csrf": session.csrfToken,
                        ]
                    }
                    return row
                }
            ]
        }
        return PageViews.page(
            "devices", title: PageText.of("devices.title"), session: session, in: .settings, notice: notice, values,
            status: status)
    }
}
