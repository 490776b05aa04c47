import BankScript

/// The steps of a script that give the bank the credentials and codes, with what the bank says of wrong ones.
struct SignInPart: Sendable {
    /// The index of the first step behind it, in the steps of ``BankScript/stepsForOnePeriod``.
    let end: Int

    /// - Returns: nil when nothing in the script's own steps signs in, or nothing sends what they fill in.
    init?(of script: BankScript) {
        guard let last = script.steps.lastIndex(where: \.action.signsIn) else { return nil }
        let steps = script.stepsForOnePeriod
        var next = last + 1
        if !steps[last].action.sendsItself {
            guard let sending = script.steps[next...].firstIndex(where: \.action.sends) else { return nil }
            next = sending + 1
        }
        while next < steps.count, steps[next].action.isRefusal { next += 1 }
        end = next
    }
}

extension Action {
    fileprivate var signsIn: Bool { has(.signsIn) }
    fileprivate var sendsItself: Bool { has(.sendsItself) }
    fileprivate var sends: Bool { kind.facts.contains(.sendsForm) }

    fileprivate var isRefusal: Bool {
        let blocks = kind.blocks
        return kind.facts.contains(.declaresFailure)
            || !blocks.isEmpty && blocks.allSatisfy { $0.steps.allSatisfy(\.action.isRefusal) }
    }
}
