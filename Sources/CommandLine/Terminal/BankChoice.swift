/// The choice of one bank among several, for a command that was given none.
package enum BankChoice {
    /// Returns the only bank of a list, or asks which of several is meant.
    ///
    /// - Throws: ``CommandFailure``, also for an empty list.
    package static func only(of ids: [String]) throws -> String {
        guard let first = ids.first else {
            throw CommandFailure("no bank is stored here; name one with --bank", status: 2)
        }
        return ids.count == 1 ? first : try among(ids)
    }

    /// Asks at the terminal which bank is meant, until the answer is one of them.
    ///
    /// - Parameters:
    ///   - ids: the banks, at least two.
    ///   - isAsked: false to fail instead of asking.
    /// - Throws: ``CommandFailure`` with the banks and what to type, when no person can answer or none does.
    package static func among(_ ids: [String], isAsked: Bool = true) throws -> String {
        let shown = ids.prefix(20).joined(separator: ", ") + (ids.count > 20 ? ", …" : "")
        let failure = CommandFailure(
            "there are several banks: \(shown); say which one is meant, for example --bank \(ids[0])", status: 2)
        guard isAsked, Asking.isPossible else { throw failure }
        while let answer = Asking.line("Which bank (\(shown))?") {
            let answer = answer.trimmingCharacters(in: .whitespaces)
            if ids.contains(answer) { return answer }
            guard !answer.isEmpty else { break }
            Console.standard.error("“\(answer)” is not one of them")
        }
        throw failure
    }
}
