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
    /// Gives the bank a credential or a code.
    fileprivate var signsIn: Bool {
        switch self {
        case .fill(_, let value), .choose(_, let value): value.isCredential
        case .pressEach, .secondFactor: true
        case .submit(let step): step.fields.contains { $0.value.isCredential }
        case .when(_, let steps, let otherwise): (steps + otherwise).contains(where: \.action.signsIn)
        default: false
        }
    }

    /// Sends what it gives. The others need a button.
    fileprivate var sendsItself: Bool {
        switch self {
        case .secondFactor, .submit: true
        case .when(_, let steps, let otherwise): (steps + otherwise).contains { $0.action.sendsItself }
        default: false
        }
    }

    fileprivate var sends: Bool {
        switch self {
        case .press, .submit, .follow: true
        default: false
        }
    }

    fileprivate var isRefusal: Bool {
        switch self {
        case .fail: true
        case .when(_, let steps, let otherwise): (steps + otherwise).allSatisfy(\.action.isRefusal)
        default: false
        }
    }
}

extension Value {
    fileprivate var isCredential: Bool {
        switch self {
        case .credential, .character: true
        default: false
        }
    }
}
