import Encodings
import Synchronization

import struct Messages.ChangeMark

/// Wakes the phones that wait for something new: a request, an offer, or a change of one.
///
/// Every change gives another mark. A phone names the mark of the list that it has, so it misses nothing between the
/// list and the wait. The mark's ticket stands for the phone's token, which would lie in the phone's memory all the time.
final class PhoneChanges: Sendable {
    /// The time for which a ticket is accepted. Phones fetch a list, and with it a mark, every few seconds.
    static let ticketLife: Duration = .seconds(120)

    private struct Ticket {
        let device: String
        let issued: ContinuousClock.Instant
    }

    private struct State {
        var count: UInt64 = 0
        var tickets: [String: Ticket] = [:]
        var waits: [UInt64: ChangeWait] = [:]
        var lastWait: UInt64 = 0
        var isOver = false
    }

    private let state = Mutex(State())

    /// The numbers of polls that wait, and of tickets that are kept.
    var kept: (waits: Int, tickets: Int) { state.withLock { ($0.waits.count, $0.tickets.count) } }

    func announce() {
        let waits = state.withLock { state in
            state.count += 1
            return Array(state.waits.values)
        }
        for wait in waits { wait.wake() }
    }

    /// Returns the present mark for a device that has shown its token.
    func mark(for device: String, at now: ContinuousClock.Instant = .now) -> ChangeMark {
        state.withLock { state in
            state.tickets = state.tickets.filter { now - $0.value.issued < Self.ticketLife }
            let fresh = state.tickets.first { _, ticket in
                ticket.device == device && now - ticket.issued < Self.ticketLife / 2
            }
            let ticket = fresh?.key ?? Base16.encode((0..<16).map { _ in UInt8.random(in: 0...255) })
            if fresh == nil { state.tickets[ticket] = Ticket(device: device, issued: now) }
            return ChangeMark(ticket: ticket, count: state.count)
        }
    }

    /// Returns the device that got a mark; nil if no device did, or too long ago. It may have been removed since.
    func device(of mark: ChangeMark, at now: ContinuousClock.Instant = .now) -> String? {
        guard let ticket = mark.parts.flatMap({ parts in state.withLock { $0.tickets[parts.ticket] } }),
            now - ticket.issued < Self.ticketLife
        else { return nil }
        return ticket.device
    }

    /// Returns at once if something has changed since the mark, otherwise after the next change or when the time is up.
    ///
    /// - Returns: whether something has changed.
    func change(after mark: ChangeMark, atMost limit: Duration) async -> Bool {
        let seen = mark.parts?.count
        // The look and the beginning of the wait are one step, so that no change is missed in between.
        let begun = state.withLock { state -> (id: UInt64, wait: ChangeWait)? in
            guard seen == state.count, !state.isOver else { return nil }
            state.lastWait += 1
            let wait = ChangeWait()
            state.waits[state.lastWait] = wait
            return (state.lastWait, wait)
        }
        if let begun {
            await begun.wait.wait(atMost: limit)
            state.withLock { state in state.waits[begun.id] = nil }
        }
        return seen != state.withLock(\.count)
    }

    /// Ends all waits because the broker stops.
    func end() {
        let waits = state.withLock { state in
            state.isOver = true
            return Array(state.waits.values)
        }
        for wait in waits { wait.cancel() }
    }
}
