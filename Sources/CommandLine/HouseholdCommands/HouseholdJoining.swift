import DeviceTrust
import Foundation
import Phone
import PhoneStore
import Secrets
import Terminal

/// Pairs the phone of this machine with the household's broker on another one.
struct HouseholdJoining: Sendable {
    let household: HouseholdFile
    let phone: HouseholdFile.Phone
    let output: HouseholdOutput

    /// Pairs them, makes the phone's vault, and notes the broker's address in the household's file.
    ///
    /// An interruption leaves no vault: the next start takes another line. The broker may know the phone by then. So the
    /// device's id is written into the file before the broker confirms, and is removed when the vault is there.
    ///
    /// At a terminal, a line that does not work is asked for again, and the answers are kept.
    ///
    /// - Returns: the broker's address.
    /// - Throws: ``CommandFailure``, `PhoneError`, `TrustError`.
    func perform(_ answers: HouseholdSetup.Answers, _ line: PairingLine) async throws -> String {
        var household = household
        var line = line
        while true {
            let paired: PairedPhone
            do {
                paired = try await self.paired(by: line, &household)
            } catch let error where Asking.isPossible && !(error is CancellationError) {
                output.report("not_paired", "\(error). Your answers are kept.")
                line = try await another(after: error)
                continue
            }
            try await keep(paired, answers)
            let address = paired.endpoint.absoluteString
            let told = phone.pendingDevices + ["\(paired.device.deviceID)"]
            let others = household.phone?.pendingDevices.filter { !told.contains($0) } ?? []
            household.phone?.brokerAddress = address
            household.phone?.pendingDevices = []
            try household.write(to: HouseholdFile.place())
            // Those of earlier starts were told when this one began.
            if let words = PendingDevices(others).words { output.report("device", words) }
            return address
        }
    }

    private func paired(by line: PairingLine, _ household: inout HouseholdFile) async throws -> PairedPhone {
        let attempt = try await PairingAttempt.begin(line.invitation, name: Self.name)
        household.phone?.pendingDevices.append("\(attempt.deviceID)")
        try household.write(to: HouseholdFile.place())
        output.report(
            "words", "The broker knows the line. Compare these words with those on its screen:",
            comparing: "\(attempt.words)")
        output.report("confirm", "Answer yes there if they are the same.")
        do {
            return try await attempt.finish()
        } catch let error as PhoneError where [.pairingOver, .pairingDenied].contains(error.brokerCode) {
            // The broker has said that it does not know the device.
            household.phone?.pendingDevices.removeLast()
            try household.write(to: HouseholdFile.place())
            throw error
        }
    }

    /// The phone's name at the broker: this machine's, without its domain.
    private static var name: String {
        let host = ProcessInfo.processInfo.hostName.prefix { $0 != "." }.description
        return DeviceName.checked(host) == nil ? "phone" : host
    }

    /// - Throws: the error when the person gives no other line.
    private func another(after error: any Error) async throws -> PairingLine {
        while true {
            let typed = try await Asking.waiting {
                Asking.line(
                    "Another line from the broker's machine (countersign pair shows one, or on the page: Settings, Devices, Add "
                        + "a device):", unless: $0)
            }
            guard let typed, !typed.isEmpty else { throw error }
            do {
                let line = try await PairingLine(Secret(typed))
                try line.checkTime()
                return line
            } catch {
                output.report("not_paired", "\(error)")
            }
        }
    }

    private func keep(_ paired: PairedPhone, _ answers: HouseholdSetup.Answers) async throws {
        let home = phone.newHome
        let setup = PhoneSetup(
            home: home, connection: try paired.connection(inbox: household.inbox.path), bankID: phone.bankID,
            credentials: answers.credentials, deviceKey: paired.deviceKey)
        do {
            try await setup.apply(passphrase: answers.passphrase)
        } catch {
            throw CommandFailure(
                "\(error). The broker already knows the device; there, run: countersign devices remove "
                    + "\(paired.device.deviceID)")
        }
        // The broker takes each document from the inbox; the page opens the phone's own copy.
        try await PhoneDatabase(home).setKeepsCopies(true)
        await setup.tellBanks(answers.scripts, servesTestBank: phone.mockBank != nil)
    }
}
