import Broker
import BrokerStore
import Encodings
import Foundation
import Machine
import QRCode
import Secrets
import Terminal

/// Invites a phone on another machine: shows a QR code and a line for it, and asks whether both sides show the same words.
struct PhoneInvitation: Sendable {
    let broker: BrokerAdministration
    /// True to confirm without comparing the words.
    let confirmsAlone: Bool
    let output: HouseholdOutput

    /// The time for which the line works.
    private static let life: Duration = .seconds(300)

    /// True when a person at this terminal can confirm, or the words are not compared.
    var canBeConfirmed: Bool { !ServiceJournal.takesOutput && (confirmsAlone || Asking.isPossible) }

    /// Waits until a phone is paired, or the pairing has failed. The broker runs on in both cases.
    ///
    /// - Throws: `CancellationError`.
    func perform() async throws {
        do {
            let pairing = try await broker.openPairing(life: Self.life, name: nil)
            do {
                try show(pairing)
                try await follow(pairing)
            } catch {
                // A task of its own, because this one may be cancelled.
                let pairings = broker.pairings
                await Task { try? await pairings.end(pairing.session, because: .cancelled) }.value
                throw error
            }
        } catch {
            guard !Task.isCancelled, !(error is CancellationError) else { throw CancellationError() }
            tellFailure("\(error)")
        }
    }

    private func show(_ pairing: OpenPairing) throws {
        let payload = pairing.payload
        let command = PairingLine.command(for: payload)
        guard !output.json else {
            let line: JSONValue = [
                "event": "pairing", "line": .string(command.revealed()), "uri": .string(payload.uri.revealed()),
                "expires_at": .string(payload.expiresAt.description),
            ]
            return Console.standard.disclose(line.compactText() + "\n")
        }
        Console.standard.disclose(try QRSymbol(payload.uri, correction: .low).terminalText)
        Console.standard.lines("\nOn the phone's machine, run this line within five minutes. It works once:")
        Console.standard.disclose("\n  \(command.revealed())\n\n")
        Console.standard.line("In place of the line, --phone-only takes a picture of this QR code, too.", .faint)
    }

    private func follow(_ pairing: OpenPairing) async throws {
        let (output, confirmsAlone) = (output, confirmsAlone)
        let dialog = PairingDialog(pairings: broker.pairings) { session in
            output.report(
                "words",
                "A phone that calls itself “\(session.deviceName ?? "")” has the line. These are the words here:",
                comparing: session.words ?? "")
        } agrees: {
            if confirmsAlone { return true }
            return try await Asking.waiting { Asking.yes("Does the phone show the same four words?", unless: $0) }
        }
        let session = try await dialog.follow(pairing.session)
        guard session.state == .done else { return tellFailure(PairingDialog.explanation(of: session.reason)) }
        // Which banks this phone has is known a moment later.
        let isOnly = try await broker.devices.devices().count == 1
        let next =
            isOnly
            ? "Ask for a statement with: countersign request last-month --wait"
            : "See the banks of all phones with: countersign banks"
        output.report("paired", "Paired: \(session.deviceName ?? "the phone"). \(next)")
    }

    private func tellFailure(_ words: String) {
        output.report("not_paired", "\(words). The broker runs on; for another line: countersign pair")
    }
}
