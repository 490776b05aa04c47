import Encodings
import Foundation
import KeyVault
import Phone
import PhoneStore
import Secrets
import Storage
import WebServing

/// The pairing of another device: one at a time, for the browser that has begun it.
extension PageState {
    /// The longest life of a pairing, whatever the broker says.
    private static let longestPairing: TimeInterval = 300
    /// The time that a browser waits for the broker to open a pairing.
    private static let patienceWithBroker: Duration = .seconds(10)
    /// The time in which a page that is loaded again, or has lost its connection, connects its stream of events again.
    private static let patienceWithPage: Duration = .seconds(5)

    /// Begins a pairing, with a vault that is opened for this only: a sign-in alone lets no device in. Where the vault has passkeys,
    /// one consents. Begins none while another one is under way.
    ///
    /// - Parameter assertion: the passkey's answer; nil where the vault has none.
    /// - Returns: the token of the pairing, also for a form that is sent twice; nil while another browser has one under way.
    func pair(
        _ assertion: JSONValue?, passphrase: Secret, named name: String?, _ pairings: any PagePairings,
        session: PageSession
    ) async throws -> Secret? {
        _ = try unlocked()
        guard !isPairing || begunPairing?.session == session.id else { return nil }
        let passkey = try await consentingPasskey(assertion, to: .pairDevice(session: session.id))
        try await home.open(ownersVerification(passphrase, with: passkey), reason: "Add a device").close()
        // The vault takes its time to open: the page may have ended, the browser may have been forgotten, or a pairing may have
        // begun.
        _ = try unlocked()
        guard isSignedIn(session) else { throw PageRefusal.signInFirst }
        if let underWay = begunPairing, !underWay.isOver {
            return underWay.session == session.id ? underWay.token : nil
        }
        let begun = BegunPairing(session: session.id, name: name)
        begunPairing = begun
        // A task of its own: a browser that goes away does not leave a pairing without an end.
        begunPairing?.work = Task { await perform(pairings, named: name, begun.id, session) }
        let end = ContinuousClock.now + Self.patienceWithBroker
        while case .opening? = pairing(begun.id)?.turn, ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(20))
        }
        return begun.token
    }

    /// Returns the pairing as a page may show it now, with its code.
    ///
    /// - Parameter token: as the page's address or form says it.
    /// - Returns: nil for another token, and for a browser that has not begun the pairing.
    func pairing(_ token: String, seenBy session: PageSession) -> BegunPairing? {
        guard let begun = begunPairing, begun.session == session.id,
            FormToken.isRight(token, begun.token.revealed())
        else { return nil }
        return begun
    }

    /// Returns the number of a new view, when a browser loads the page of a pairing.
    func openView(of begun: BegunPairing) -> Int {
        let view = (pairing(begun.id)?.lastView ?? 0) + 1
        change(begun.id) {
            $0.lastView = view
            $0.views.insert(view)
        }
        return view
    }

    /// True while a browser pairs a device.
    var isPairing: Bool { begunPairing?.isOver == false }

    /// Returns the id of the pairing that a browser has under way; nil without one.
    func pairingUnderWay(of session: PageSession) -> UUID? {
        guard let begun = begunPairing, begun.session == session.id, !begun.isOver else { return nil }
        return begun.id
    }

    /// Takes the owner's answer to the words that the device has to show.
    ///
    /// - Parameter token: of the pairing whose words the browser showed.
    func answerPairing(_ token: String, areSame: Bool, session: PageSession) async {
        guard let begun = pairing(token, seenBy: session), case .claimed = begun.turn, !begun.isEnding,
            let open = begun.pairing
        else {
            return
        }
        change(begun.id) { $0.turn = .answered }
        changes.send()
        await open.answer(areSame)
        // A no is the end at once. After a yes the device has the last word.
        if !areSame { await begun.work?.value }
    }

    /// Ends the pairing that a browser has begun.
    ///
    /// - Parameter id: of the pairing that it means: its page may be older than the one that is under way.
    func endPairing(_ id: String, of session: PageSession, because reason: PairingEnd) async {
        guard let begun = begunPairing, begun.session == session.id, begun.id.uuidString == id else { return }
        await end(begun.id, because: reason)
    }

    /// Ends the pairing that a browser has begun, whichever that is.
    func endPairing(of session: PageSession, because reason: PairingEnd) async {
        guard let begun = begunPairing, begun.session == session.id else { return }
        await end(begun.id, because: reason)
    }

    /// Ends the pairing, whichever browser has begun it.
    func endPairing(because reason: PairingEnd) async {
        guard let begun = begunPairing else { return }
        await end(begun.id, because: reason)
    }

    /// Ends the pairing because its browser has left the last page with the code.
    func leavePairing(_ token: String, view: Int, session: PageSession) async {
        guard let begun = pairing(token, seenBy: session), begun.views.contains(view) else { return }
        change(begun.id) { $0.views.remove(view) }
        guard begun.views.count == 1 else { return }
        await endAsLeft(begun.id)
    }

    /// Ends the pairing when its browser loads another page, and the one with the code had no stream of events: without its script
    /// it cannot tell that it is left. With one, the end of the stream tells.
    func leavePairing(forAnotherPage session: PageSession) async {
        guard let begun = begunPairing, begun.session == session.id, begun.lastView > 0, begun.lastStream == 0 else {
            return
        }
        await endAsLeft(begun.id)
    }

    /// A connected stream of events to the page of a pairing.
    struct PairingStream: Sendable {
        fileprivate let pairing: UUID
        fileprivate let number: Int
    }

    /// Notes that the page of a pairing follows the changes.
    ///
    /// - Parameter token: of the page that asks for the stream.
    /// - Returns: nil for every other page.
    func openStream(_ token: String, seenBy session: PageSession) -> PairingStream? {
        guard let begun = pairing(token, seenBy: session), !begun.isOver else { return nil }
        let number = begun.lastStream + 1
        change(begun.id) {
            $0.lastStream = number
            $0.streams.insert(number)
        }
        return PairingStream(pairing: begun.id, number: number)
    }

    /// Notes that a stream has ended. A pairing whose last one has ended, and that gets no other soon, was left: what a page sends
    /// while it goes away does not always arrive.
    func close(_ stream: PairingStream) {
        guard let begun = pairing(stream.pairing), begun.streams.contains(stream.number) else { return }
        change(begun.id) { $0.streams.remove(stream.number) }
        guard begun.streams.count == 1, !begun.isOver else { return }
        Task {
            try? await Task.sleep(for: Self.patienceWithPage)
            guard pairing(stream.pairing)?.lastStream == begun.lastStream else { return }
            await endAsLeft(stream.pairing)
        }
    }

    private func endAsLeft(_ id: UUID) async {
        // The owner has said yes: the device finishes by itself.
        if case .answered? = pairing(id)?.turn { return }
        await end(id, because: .left)
    }

    private func pairing(_ id: UUID) -> BegunPairing? { begunPairing?.id == id ? begunPairing : nil }

    /// Changes a pairing, unless a newer one has its place.
    private func change(_ id: UUID, _ change: (inout BegunPairing) -> Void) {
        guard var begun = pairing(id) else { return }
        change(&begun)
        begunPairing = begun
    }

    private func end(_ id: UUID, because reason: PairingEnd) async {
        guard let begun = pairing(id), !begun.isOver else { return }
        if begun.reason == nil { change(id) { $0.reason = reason } }
        await begun.pairing?.cancel()
        await begun.work?.value
    }

    // MARK: Following

    private func perform(
        _ pairings: any PagePairings, named name: String?, _ id: UUID, _ session: PageSession
    ) async {
        do {
            let open = try await pairings.begin(named: name)
            change(id) { $0.pairing = open }
            // It may have been ended while the broker opened it.
            if pairing(id)?.reason != nil { await open.cancel() } else { try await show(open, id, session) }
            for await turn in open.turns { await take(turn, of: id) }
            await finish(id, .cancelled)
        } catch let refusal as PairingRefusal {
            await finish(id, .failed(ReportText.cleaned(refusal.words, limit: 600)))
        } catch {
            await pairing(id)?.pairing?.cancel()
            await finish(id, .failed(ReportText.cleaned("\(error)", limit: 600)))
        }
    }

    /// Shows the code to its browser, once the log has a record of it.
    private func show(_ open: any PagePairing, _ id: UUID, _ session: PageSession) async throws {
        try await notice(
            AuditEvent(.pairingOpened, severity: .warning, details: ["browser": .string(session.browser.name)]),
            "a code for another device is shown on the page, to \(session.browser.name)")
        guard let begun = pairing(id), begun.reason == nil else { return }
        change(id) { $0.turn = .waiting(open.shown) }
        changes.send()
        Task { await watch(id, session, until: open.shown.expiresAt) }
    }

    /// Ends the pairing when its time is over, or its browser is not signed in any more.
    private func watch(_ id: UUID, _ session: PageSession, until expiry: Date) async {
        let end = min(expiry, Date().addingTimeInterval(Self.longestPairing))
        while pairing(id)?.isOver == false, isSignedIn(session), end > Date() {
            try? await Task.sleep(for: .seconds(min(1, max(0.01, end.timeIntervalSinceNow))))
        }
        await self.end(id, because: end > Date() ? .cancelled : .expired)
    }

    private func take(_ turn: PairingTurn, of id: UUID) async {
        guard let begun = pairing(id), !begun.isOver, !begun.isEnding else { return }
        switch turn {
        case .claimed(let device, let words):
            guard case .waiting = begun.turn, begun.reason == nil else { return }
            change(id) { $0.turn = .claimed(device: ReportText.cleaned(device, limit: 64), words: words) }
            changes.send()
        case .paired(let device):
            // Also while this page ends the pairing: the device was let in before.
            let name = ReportText.cleaned(device, limit: 64)
            await finish(
                id, as: .paired(name: name),
                AuditEvent(.pairingDone, severity: .warning, details: ["name": .string(name)]),
                "the device “\(name)” was paired on the page; if it was not you, remove it there, under Settings, Devices"
            )
        case .ended(let reason): await finish(id, reason)
        }
    }

    /// Notes that a pairing has ended without a device.
    ///
    /// - Parameter found: the reason that the broker gives; the one for which this page has ended it counts before.
    private func finish(_ id: UUID, _ found: PairingEnd) async {
        guard let begun = pairing(id) else { return }
        let reason = begun.reason ?? found
        await finish(
            id, as: .ended(reason), AuditEvent(.pairingEnded, details: ["message": .string(reason.record)]))
    }

    /// Records the end of a pairing, and shows it then: the page says nothing that the log does not know.
    ///
    /// - Parameter words: for the terminal.
    private func finish(
        _ id: UUID, as turn: BegunPairing.Turn, _ event: AuditEvent, _ words: String? = nil
    ) async {
        // It has one end, also when another one comes while the log is written.
        guard let begun = pairing(id), !begun.isOver, !begun.isEnding else { return }
        change(id) { $0.isEnding = true }
        do {
            try await store.audit.record(event)
        } catch {
            notify("the end of a pairing cannot be recorded: \(error)")
        }
        if let words { notify(words) }
        change(id) {
            // The code and the words are worth nothing any more.
            $0.turn = turn
            $0.pairing = nil
        }
        changes.send()
    }
}
