import DeviceTrust
import Foundation
import Phone
import PhoneStore
import Secrets
import Terminal

/// Pairs the phone of this machine with the household's broker on another one.
struct HouseholdJoining: Sendable {
    let phone: HouseholdFile.Phone
    let inbox: URL
    let output: HouseholdOutput

    /// Pairs them, and makes the phone's vault. An interruption leaves no vault: the next start takes another line.
    ///
    /// At a terminal, a line that does not work is asked for again, and the answers are kept.
    ///
    /// - Returns: the broker's address.
    /// - Throws: ``CommandFailure``, `PhoneError`, `TrustError`.
    func perform(_ answers: HouseholdSetup.Answers, _ line: PairingLine) async throws -> String {
        var line = line
        while true {
            let paired: PairedPhone
            do {
                paired = try await self.paired(by: line)
            } catch let error where Asking.isPossible && !(error is CancellationError) {
                output.report("not_paired", "\(error). Your answers are kept.")
                line = try await another(after: error)
                continue
            }
            try await keep(paired, answers)
            return paired.endpoint.absoluteString
        }
    }

    private func paired(by line: PairingLine) async throws -> PairedPhone {
        let attempt = try await PairingAttempt.begin(line.invitation, name: Self.name)
        output.report(
            "words", "The broker knows the line. Compare these words with those on its screen:",
            comparing: "\(attempt.words)")
        output.report("confirm", "Answer yes there if they are the same.")
        return try await attempt.finish()
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
                Asking.line("Another line from the broker's machine (countersign pair shows one):", unless: $0)
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
        let home = PhoneHome(phone.home)
        let setup = PhoneSetup(
            home: home, connection: try paired.connection(inbox: inbox.path), bankID: phone.bankID,
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
    }
}
