import Broker
import BrokerStore
import CurlClient
import DeviceTrust
import Foundation
import Machine
import Phone
import PhoneStore
import Terminal

/// Pairs the phone and the broker of one household. This program stands on both sides, so it compares the words itself.
struct HouseholdPairing {
    let phone: HouseholdFile.Phone
    let inbox: URL
    let broker: BrokerAdministration
    /// The broker's socket, by its address.
    let sockets: [String: ServedSocket]
    private let name = "phone of this machine"

    /// Pairs them, and makes the phone's vault. An interruption leaves no vault: the next start pairs again.
    ///
    /// - Throws: ``CommandFailure``, `StoreError`, `PhoneError`.
    func perform(_ answers: HouseholdSetup.Answers) async throws {
        // A device of an earlier start that was interrupted before the vault was made.
        for device in try await broker.devices.devices() where device.name == name {
            _ = try await broker.devices.remove(device.id)
        }
        let pairing = try await broker.openPairing(life: .seconds(120), name: name)
        let paired: PairedPhone
        do {
            paired = try await self.paired(pairing)
        } catch {
            try? await broker.pairings.end(pairing.session, because: .cancelled)
            throw error
        }
        let setup = PhoneSetup(
            home: phone.newHome, connection: try paired.connection(inbox: inbox.path), bankID: phone.bankID,
            credentials: answers.credentials, deviceKey: paired.deviceKey, http: http)
        try await setup.apply(passphrase: answers.passphrase)
        // The broker of this machine takes each document from the inbox; the page opens the phone's own copy.
        try await PhoneDatabase(PhoneHome(phone.home)).setKeepsCopies(true)
        await setup.tellBanks(answers.scripts, servesTestBank: phone.mockBank != nil)
    }

    private var http: CurlConfiguration {
        var http = CurlConfiguration()
        http.sockets = sockets
        return http
    }

    private func paired(_ pairing: OpenPairing) async throws -> PairedPhone {
        let attempt = try await PairingAttempt.begin(
            try PairingInvitation(scanned: pairing.payload.uri), name: name, http: http)
        let session = try await broker.pairings.current(pairing.session)
        guard session.state == .claimed, session.words == "\(attempt.words)" else {
            throw CommandFailure(
                "another program answered in the place of this household's broker or phone; stop it, and run it again")
        }
        guard try await broker.pairings.confirm(session) else {
            throw CommandFailure("the pairing took longer than two minutes; run it again")
        }
        return try await attempt.finish()
    }
}
