import Clocks
import Foundation
import Secrets

/// Gets a message through the bank's question for a second factor (FinTS 3.0, Security, Sicherheitsverfahren PIN/TAN,
/// 2020-07-10, chapter B.4: HKTAN, TAN process 2 and its decoupled form).
struct Release {
    let method: TANMethod
    let medium: String?
    let approver: any Approver
    let clock: any RunClock

    /// The longest wait for a person who approves elsewhere.
    static let longestWait: Duration = .seconds(300)

    /// Returns the HKTAN that stands beside a segment (TAN process 4).
    func request(for code: String) -> Segment {
        Segment(
            "HKTAN", version: method.version,
            [
                [.text("4")], [.text(code)], [], [], [], [], [], [], [], [],
                [.word(method.needsMedium ? medium ?? "" : "")],
            ])
    }

    /// Asks the person if the bank wants it, and returns the message that has the answer to what was asked.
    ///
    /// - Parameters:
    ///   - answer: the bank's message to a message with ``request(for:)``.
    ///   - number: the number of that HKTAN.
    func complete(
        _ answer: BankMessage, requestNumber number: Int, in dialog: inout Dialog
    ) async throws(FinTSFailure) -> BankMessage {
        if answer.has("3076") { return answer }
        let isDecoupled = answer.has("3955")
        guard isDecoupled || answer.has("0030") else { return answer }
        guard let segment = try answer.segment("HITAN"), let reference = segment.element(3).text,
            (1...35).contains(reference.utf8.count)
        else { throw BankMessage.garbled("the bank wants a second factor, and does not say for what") }
        let data = segment.element(5).bytes ?? []
        let challenge = Challenge(
            words: Challenge.plain(segment.element(4).text ?? ""), picture: Challenge.picture(in: data),
            flicker: HHDCode(Latin1.text(data)), method: method, medium: segment.element(7).text ?? "",
            reference: reference)
        return isDecoupled ? try await poll(challenge, &dialog) : try await give(challenge, &dialog)
    }

    /// HKTAN of the second step: TAN process 2, or S to ask for the state.
    private func step(_ process: String, _ challenge: Challenge) -> Segment {
        Segment(
            "HKTAN", version: method.version,
            [[.text(process)], [], [], [], [.text(challenge.reference)], [.yes(false)]])
    }

    private func give(_ challenge: Challenge, _ dialog: inout Dialog) async throws(FinTSFailure) -> BankMessage {
        let tan = try await approver.tan(for: challenge)
        guard !tan.isEmpty else {
            throw FinTSFailure(.approvalMissing, "no TAN was given; ask for the documents again")
        }
        if let longest = method.longestTAN, longest > 0, tan.revealed().count > longest {
            throw FinTSFailure(
                .wrongTAN,
                "the TAN has more than the \(longest) characters that the bank takes, so it was not sent; "
                    + "ask for the documents again")
        }
        approver.began("send the TAN (HKTAN)")
        let answer = try await dialog.send([step("2", challenge)], tan: tan)
        if let refusal = Self.refusal(in: answer, otherwise: .wrongTAN) { throw refusal }
        return answer
    }

    private func poll(_ challenge: Challenge, _ dialog: inout Dialog) async throws(FinTSFailure) -> BankMessage {
        let polling = method.polling ?? TANMethod.Polling(most: 60, secondsBeforeFirst: 5, secondsBetween: 5)
        var released: BankMessage?
        // The closure must not hold the dialog past its end.
        var asking = dialog
        defer { dialog = asking }
        try await approver.whileApproving(challenge) { () async throws(FinTSFailure) in
            let deadline = clock.now.addingTimeInterval(Double(Self.longestWait.components.seconds))
            var wait = polling.secondsBeforeFirst
            for _ in 0..<polling.most where clock.now < deadline {
                do {
                    try await clock.sleep(for: .seconds(min(wait, 60)))
                } catch {
                    throw FinTSFailure(.cancelled, "the run was cancelled before its end")
                }
                approver.began("ask whether it was approved (HKTAN)")
                let answer = try await asking.send([step("S", challenge)])
                if let refusal = Self.refusal(in: answer, otherwise: .approvalCancelled) { throw refusal }
                if !answer.has("3956") && !answer.has("3955") {
                    released = answer
                    return
                }
                wait = polling.secondsBetween
            }
            throw FinTSFailure(
                .approvalMissing,
                "the bank's question was not approved in time; ask for the documents again, and approve "
                    + "in the bank's app")
        }
        guard let released else {
            throw FinTSFailure(.approvalMissing, "the approval did not come in time; ask for the documents again")
        }
        return released
    }

    /// Returns the refusal in an answer to a second factor. A code that is not in the list, or says no more than that the
    /// bank refused, is about the second factor here.
    private static func refusal(in answer: BankMessage, otherwise kind: FinTSFailure.Kind) -> FinTSFailure? {
        guard let refusal = Refusal.first(in: answer.answers) else { return nil }
        let isGeneral = !AnswerMeaning.isKnown(refusal.code ?? "") || refusal.kind == .refused
        guard isGeneral else { return refusal }
        let words =
            kind == .wrongTAN
            ? "the bank did not accept the TAN; ask for the documents again"
            : "the approval was refused; nothing was fetched. Ask for the documents again, and approve it"
        return FinTSFailure(kind, words, code: refusal.code, bankWords: refusal.bankWords)
    }
}
