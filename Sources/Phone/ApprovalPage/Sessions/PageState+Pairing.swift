import Encodings
import Foundation
import KeyVault
import Phone
import PhoneStore
import Secrets
import Storage

/// The pairing of another device: one at a time, for the browser that has begun it.
extension PageState {
    /// The longest life of a pairing, whatever the broker says.
    private static let longestPairing: TimeInterval = 300
    /// The time that a browser waits for the broker to open a pairing.
    private static let patienceWithBroker: Duration = .seconds(10)

    /// Begins a pairing, with a vault that is opened for this only: a sign-in alone lets no device in. Where the vault has passkeys,
    /// one consents. Does nothing while another pairing is under way, of which its page tells.
    ///
    /// - Parameter assertion: the passkey's answer; nil where the vault has none.
    func pair(
        _ assertion: JSONValue?, passphrase: Secret, named name: String?, _ pairings: any PagePairings,
        session: PageSession
    ) async throws {
        _ = try unlocked()
        guard begunPairing?.isOver ?? true else { return }
        let passkey = try await consentingPasskey(assertion, to: .pairDevice(session: session.id))
        try await home.open(ownersVerification(passphrase, with: passkey), reason: "Add a device").close()
        // The vault takes its time to open: the page may have ended, the browser may have been forgotten, or another one may have
        // begun a pairing.
        _ = try unlocked()
        guard isSignedIn(session) else { throw PageRefusal.signInFirst }
        guard begunPairing?.isOver ?? true else { return }
        let begun = BegunPairing(session: session.id)
        begunPairing = begun
        // A task of its own: a browser that goes away does not leave a pairing without an end.
        begunPairing?.work = Task { await perform(pairings, named: name, begun.id, session) }
        let end = ContinuousClock.now + Self.patienceWithBroker
        while case .opening? = pairing(begun.id)?.turn, ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Returns the pairing as the page of a browser shows it now.
    ///
    /// - Returns: nil when no pairing was begun, or another browser has begun it.
    func pairing(seenBy session: PageSession) -> BegunPairing? {
        guard begunPairing?.session == session.id else { return nil }
        begunPairing?.views += 1
        return begunPairing
    }

    /// True while a browser pairs a device.
    var isPairing: Bool { begunPairing?.isOver == false }

    /// Takes the owner's answer to the words that the device has to show.
    ///
    /// - Parameter id: the pairing whose words the browser showed.
    func answerPairing(_ id: String, areSame: Bool, session: PageSession) async {
        guard let begun = pairing(id), begun.session == session.id, case .claimed = begun.turn,
            let open = begun.pairing
        else { return }
        begunPairing?.turn = .answered
        changes.send()
        await open.answer(areSame)
        // A no is the end at once. After a yes the device has the last word.
        if !areSame { await begun.work?.value }
    }

    /// Ends the pairing that a browser has begun.
    func endPairing(of session: PageSession, because reason: PairingEnd) async {
        guard begunPairing?.session == session.id else { return }
        await endPairing(because: reason)
    }

    /// Ends the pairing because its browser has left the page with the code, unless that shows a newer one.
    func leavePairing(_ id: String, view: Int, session: PageSession) async {
        guard let begun = pairing(id), begun.views == view else { return }
        // The owner has said yes: the device finishes by itself.
        if case .answered = begun.turn { return }
        await endPairing(of: session, because: .left)
    }

    /// Ends the pairing, whichever browser has begun it.
    func endPairing(because reason: PairingEnd) async {
        guard let begun = begunPairing, !begun.isOver else { return }
        if begun.reason == nil { begunPairing?.reason = reason }
        await begun.pairing?.cancel()
        await begun.work?.value
    }

    private func pairing(_ id: String) -> BegunPairing? { begunPairing?.id == id ? begunPairing : nil }

    // MARK: Following

    private func perform(
        _ pairings: any PagePairings, named name: String?, _ id: String, _ session: PageSession
    ) async {
        do {
            let open = try await pairings.begin(named: name)
            begunPairing?.pairing = open
            // It may have been ended while the broker opened it.
            if begunPairing?.reason != nil { await open.cancel() } else { try await show(open, id, session) }
            for await turn in open.turns { await take(turn) }
            await finish(.cancelled)
        } catch let refusal as PairingRefusal {
            await finish(.failed(ReportText.cleaned(refusal.words, limit: 600)))
        } catch {
            await begunPairing?.pairing?.cancel()
            await finish(.failed(ReportText.cleaned("\(error)", limit: 600)))
        }
    }

    /// Shows the code to its browser, once the log has a record of it.
    private func show(_ open: any PagePairing, _ id: String, _ session: PageSession) async throws {
        try await notice(
            AuditEvent(.pairingOpened, severity: .warning, details: ["browser": .string(session.browser.name)]),
            "a code for another device is shown on the page, to \(session.browser.name)")
        guard begunPairing?.reason == nil else { return }
        begunPairing?.turn = .waiting(open.shown)
        changes.send()
        Task { await watch(id, session, until: open.shown.expiresAt) }
    }

    /// Ends the pairing when its time is over, or its browser is not signed in any more.
    private func watch(_ id: String, _ session: PageSession, until expiry: Date) async {
        let end = min(expiry, Date().addingTimeInterval(Self.longestPairing))
        while pairing(id)?.isOver == false, isSignedIn(session), end > Date() {
            try? await Task.sleep(for: .seconds(min(1, max(0.01, end.timeIntervalSinceNow))))
        }
        guard pairing(id)?.isOver == false else { return }
        await endPairing(because: end > Date() ? .cancelled : .expired)
    }

    private func take(_ turn: PairingTurn) async {
        switch turn {
        case .claimed(let device, let words):
            guard case .waiting? = begunPairing?.turn, begunPairing?.reason == nil else { return }
            begunPairing?.turn = .claimed(device: ReportText.cleaned(device, limit: 64), words: words)
            changes.send()
        case .paired(let device):
            guard begunPairing?.isOver == false else { return }
            let name = ReportText.cleaned(device, limit: 64)
            begunPairing?.turn = .paired(name: name)
            begunPairing?.pairing = nil
            await record(
                AuditEvent(.pairingDone, severity: .warning, details: ["name": .string(name)]),
                "the device “\(name)” was paired on the page; if it was not you, remove it: countersign devices remove")
        case .ended(let reason): await finish(reason)
        }
    }

    /// Notes that a pairing has ended without a device.
    ///
    /// - Parameter found: the reason that the broker gives; the one for which this page has ended it counts before.
    private func finish(_ found: PairingEnd) async {
        guard let begun = begunPairing, !begun.isOver else { return }
        let reason = begun.reason ?? found
        // The code and the words are worth nothing any more.
        begunPairing?.turn = .ended(reason)
        begunPairing?.pairing = nil
        await record(AuditEvent(.pairingEnded, details: ["message": .string(reason.record)]))
    }

    private func record(_ event: AuditEvent, _ words: String? = nil) async {
        do {
            try await store.audit.record(event)
        } catch {
            notify("the end of a pairing cannot be recorded: \(error)")
        }
        if let words { notify(words) }
        changes.send()
    }
}
