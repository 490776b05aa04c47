import BankScript

/// The performing half of a step of the language, beside its ``BankScript/StepDescription``.
///
/// A run gives a step the page and the values that the script names. It gives neither the vault nor the host services.
public protocol PerformedStep: StepDescription {
    /// Performs the step on the open page, or with the latest answer.
    ///
    /// - Parameter following: the steps after this one.
    /// - Throws: ``EngineError`` or ``RunFailure``, which ends the run.
    func perform(
        in run: isolated ScriptExecution, at place: StepPosition, before following: ArraySlice<Step>
    ) async throws

    var conduct: StepConduct { get }

    /// The signs that the step can begin.
    var signs: StepSigns { get }
}

extension PerformedStep {
    public var conduct: StepConduct { [] }
    public var signs: StepSigns { StepSigns() }
}

/// The conduct of a run around a step, and the proofs that the step's success gives. A bank answers a wrong password or code with a page as
/// well, so a page alone proves nothing.
public struct StepConduct: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Did nothing when it did not find what it uses, so it may be tried again.
    public static let canBeTriedAgain = StepConduct(rawValue: 1 << 0)
    /// May lead to another page, which may be an interruption.
    public static let bringsPage = StepConduct(rawValue: 1 << 1)
    /// May bring another answer, which may be an interruption.
    public static let bringsAnswer = StepConduct(rawValue: 1 << 2)
    /// Opens a page, whose status counts.
    public static let checksStatus = StepConduct(rawValue: 1 << 3)
    /// Succeeds only where the bank took the password: on another page than the login, or where it asks for the second
    /// factor.
    public static let confirmsSignIn = StepConduct(rawValue: 1 << 4)
    /// Succeeds only on another page than the login. Buttons and fields to fill may be on the login page, too.
    public static let showsRightPassword = StepConduct(rawValue: 1 << 5)
    /// Succeeds only on a page that has what the script's author expects there, so that the bank took the code before it. The
    /// page for a refused code may have the links, buttons and fields of a page behind the sign-in.
    public static let showsRightCode = StepConduct(rawValue: 1 << 6)

    /// The proofs of a step that finds what its author expects behind the sign-in.
    public static let provesSignIn: StepConduct = [.confirmsSignIn, .showsRightPassword, .showsRightCode]
}

/// The signs of a page on which steps can go on: the first of them uses what it shows, or ends the run for it.
public struct StepSigns: Sendable {
    /// Each of them is a sign.
    public var conditions: [Condition]
    /// True for a step that may do nothing, so that the signs of the next one count too.
    public var continues: Bool

    public init(_ conditions: [Condition] = [], continues: Bool = false) {
        self.conditions = conditions
        self.continues = continues
    }
}

extension Action {
    /// The conduct of a run around the action; empty for a step that the program cannot perform.
    package var conduct: StepConduct { (kind as? any PerformedStep)?.conduct ?? [] }

    /// True when the step succeeds only on another page than the login, so that the bank took the password before it.
    package var showsRightPassword: Bool { conduct.contains(.showsRightPassword) }
}
