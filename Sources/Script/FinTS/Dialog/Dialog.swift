import Clocks
import Foundation
import Secrets

/// A dialog with a bank: messages with numbers in a row (FinTS 3.0, Formals, chapter C).
///
/// No message is sent twice. After an answer that refuses the PIN, or breaks the rules, nothing more is sent. After a
/// message that was cancelled on its way, only ``end()`` sends one more.
package struct Dialog {
    /// The marks of the program that takes part.
    package struct Product: Sendable {
        /// The product registration number of the German banks' association; up to 25 characters.
        package var registration: String
        /// Up to five characters.
        package var version: String

        package init(registration: String, version: String) {
            self.registration = registration
            self.version = version
        }
    }

    private enum State { case new, open, over }

    /// The most messages of one dialog, the bank's questions for approval included.
    private static let mostMessages = 2_000

    private let carrier: any MessageCarrier
    private let clock: any RunClock
    /// Nil in an anonymous dialog.
    private let envelope: SecurityEnvelope?
    private let pin: Secret?
    private var state = State.new
    private var id = "0"
    private var number = 0
    /// True once the bank has answered a message with the PIN without refusing it.
    package private(set) var hasAcceptedPIN = false
    /// True once a message with the PIN may have left.
    package private(set) var hasSentPIN = false
    /// True if no answer to a message with the PIN came, or none that can be read.
    package private(set) var isPINUnanswered = false
    /// The bytes of all the bank's messages so far.
    package private(set) var bytesReceived = 0

    package init(
        over carrier: any MessageCarrier, clock: any RunClock, envelope: SecurityEnvelope?, pin: Secret?
    ) {
        self.carrier = carrier
        self.clock = clock
        self.envelope = envelope
        self.pin = pin
    }

    /// The number that the first of the segments of a message has.
    package var firstNumber: Int { envelope == nil ? 2 : 3 }

    /// Sends one message, and returns the bank's.
    ///
    /// - Throws: ``FinTSFailure`` when no whole answer came, or it is not for this message. Refusals in the answer are
    ///   returned, not thrown, except those of the PIN.
    package mutating func send(
        _ segments: [Segment], tan: Secret? = nil
    ) async throws(FinTSFailure) -> BankMessage {
        guard state != .over, number < Self.mostMessages else {
            throw FinTSFailure(.refused, "the dialog with the bank has ended; ask for the documents again")
        }
        guard !Task.isCancelled else { throw FinTSFailure(.cancelled, "the run was cancelled before its end") }
        number += 1
        var bytes = try message(segments, tan)
        defer { bytes.wipe() }
        let received: [UInt8]
        do {
            received = try await carrier.exchange(bytes)
        } catch {
            // The bank still waits in this dialog. It has taken the PIN before, so leaving cannot cost an attempt.
            if !Task.isCancelled || state == .new { state = .over }
            hasSentPIN = hasSentPIN || pin != nil && !error.nothingWasSent
            isPINUnanswered = pin != nil && !error.nothingWasSent
            throw error
        }
        hasSentPIN = pin != nil
        bytesReceived += received.count
        let answer: BankMessage
        do {
            answer = try BankMessage(received)
            try check(answer)
        } catch {
            state = .over
            isPINUnanswered = pin != nil
            throw error
        }
        if state == .new { id = answer.dialogID }
        state = .open
        if let refusal = answer.answers.first(where: { $0.meaning.endsSignIn && AnswerMeaning.isKnown($0.code) })?
            .failure
        {
            state = .over
            // Without a PIN there is nothing that the bank could refuse.
            if pin != nil { throw refusal }
        }
        if answer.has("9800") || answer.has("9075") || answer.has("9078") { state = .over }
        hasAcceptedPIN = hasAcceptedPIN || pin != nil && !answer.answers.contains { $0.segment == nil && $0.isRefusal }
        return answer
    }

    private func check(_ answer: BankMessage) throws(FinTSFailure) {
        guard answer.number == number else {
            throw BankMessage.garbled("the bank answered message \(answer.number), and \(number) was sent")
        }
        guard state == .new ? answer.dialogID != "" : answer.dialogID == id else {
            throw BankMessage.garbled("the bank answered in another dialog")
        }
    }

    private func message(_ segments: [Segment], _ tan: Secret?) throws(FinTSFailure) -> [UInt8] {
        var numbered = segments
        for index in numbered.indices { numbered[index].number = firstNumber + index }
        do {
            var content = numbered
            if let envelope, let pin {
                content = try envelope.wrap(
                    numbered, pin: pin, tan: tan, reference: Int.random(in: 1_000_000...9_999_999), at: clock.now)
            }
            let end = Segment(
                "HNHBS", version: 1, number: firstNumber + segments.count + (envelope == nil ? 0 : 1),
                [[.number(number)]])
            var bytes = try SegmentWriter.bytes(of: [head(size: 0)] + content + [end])
            defer { bytes.wipe() }
            // The size has twelve digits, so it does not change the size.
            return try SegmentWriter.bytes(of: [head(size: bytes.count)] + content + [end])
        } catch {
            throw FinTSFailure(
                .wrongPIN, "login, PIN or TAN has a character that FinTS cannot send, so nothing was sent; correct it")
        }
    }

    private func head(size: Int) -> Segment {
        let digits = String(size)
        return Segment(
            "HNHBK", version: 3, number: 1,
            [
                [.text(String(repeating: "0", count: 12 - digits.utf8.count) + digits)], [.text("300")], [.text(id)],
                [.number(number)],
            ])
    }

    /// Ends the dialog, if the bank has not ended it (FinTS 3.0, Formals, chapter C: HKEND). Faults are ignored: all is said.
    package mutating func end() async {
        guard state == .open, pin == nil || hasAcceptedPIN else { return }
        _ = try? await send([Segment("HKEND", version: 1, [[.text(id)]])])
        state = .over
    }
}
