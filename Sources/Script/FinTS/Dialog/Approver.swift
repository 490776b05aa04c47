import Secrets

/// The person, as a dialog asks for them.
package protocol Approver: Sendable {
    /// Asks for one of several texts, such as the TAN methods.
    ///
    /// - Returns: the place of the answer in the list.
    func pick(among texts: [String], question: String) async throws(FinTSFailure) -> Int

    /// Asks for the TAN of a challenge.
    func tan(for challenge: Challenge) async throws(FinTSFailure) -> Secret

    /// Tells the person to approve elsewhere, while `wait` asks the bank. The notice ends with it.
    func whileApproving(
        _ challenge: Challenge, _ wait: () async throws(FinTSFailure) -> Void
    ) async throws(FinTSFailure)

    /// Hears of each message before it is sent, in words without names and numbers.
    func began(_ step: String)
}
