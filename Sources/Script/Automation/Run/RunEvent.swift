import BankScript
import Foundation
import Messages

/// An event of a run. Every text in it is sanitised.
public enum RunEvent: Sendable {
    /// The run begins. The number of steps counts the script's top level and `finally`.
    case began(script: ScriptDigest, steps: Int)
    case stepBegan(StepPlace)
    case stepEnded(StepPlace, Duration)
    case stepFailed(StepPlace, RunFailure, Duration)
    /// The person is asked, or the vault answers.
    case secondFactor(SecondFactorEvent)
    /// A capture under a name; the text of a secret one is dots.
    case captured(name: String, text: String)
    case downloaded(FetchedDocument)
    /// The bank listed its accounts. The names are the bank's own, and may hold numbers of accounts.
    case listedAccounts([ListedAccount])
    /// The run went on, but the script's author should look at this step, by its number.
    case warned(Int, String)
    case ended(Duration)

    public enum SecondFactorEvent: Sendable {
        case answeredByVault
        /// A source of codes that was plugged in answered.
        case answeredBy(SecondFactorStep.Source)
        /// A source of codes that was plugged in did not answer; with the reason, sanitised.
        case unanswered(SecondFactorStep.Source, String)
        case asked(Prompt)
        case answered
    }
}

/// The number and the words of a step.
public struct StepPlace: Sendable, Hashable {
    /// Counts from 1 at the script's top level; the steps of `finally` continue the count.
    public var number: Int
    /// The nesting inside `when` and interruptions; 0 at the top.
    public var depth: Int
    public var isFinally: Bool
    /// The step in words, e.g. `press “Sign in”`, with templates filled in and secrets as dots.
    public var words: String
    public var mark: Mark?

    public init(number: Int, depth: Int = 0, isFinally: Bool = false, words: String, mark: Mark? = nil) {
        self.number = number
        self.depth = depth
        self.isFinally = isFinally
        self.words = words
        self.mark = mark
    }
}

/// Receives the events of a run, in order.
public protocol RunObserver: Sendable {
    /// True when the observer ignores all events, so that no event has to be put into words.
    var isSilent: Bool { get }

    func observe(_ event: RunEvent)
}

extension RunObserver {
    public var isSilent: Bool { false }
}

public struct SilentObserver: RunObserver {
    public init() {}

    public var isSilent: Bool { true }

    public func observe(_ event: RunEvent) {}
}

/// Forwards events to several observers, one after the other.
package struct Observers: RunObserver {
    private let observers: [any RunObserver]

    package init(_ observers: [any RunObserver]) {
        self.observers = observers
    }

    package var isSilent: Bool { observers.allSatisfy(\.isSilent) }

    package func observe(_ event: RunEvent) {
        for observer in observers { observer.observe(event) }
    }
}

/// A document that a run fetched.
public struct FetchedDocument: Sendable, Hashable {
    public var file: URL
    public var kind: DocumentKind
    /// Lower-case hex.
    public var sha256: String
    public var bytes: Int

    public init(file: URL, kind: DocumentKind = .pdf, sha256: String, bytes: Int) {
        self.file = file
        self.kind = kind
        self.sha256 = sha256
        self.bytes = bytes
    }
}
