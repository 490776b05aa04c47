import BankScript
import Foundation

/// Something that happened in a run; every text is sanitised.
public enum RunEvent: Sendable {
    /// The run begins: how many steps the script has at its top level, `finally` included.
    case began(script: ScriptDigest, steps: Int)
    case stepBegan(StepPlace)
    case stepEnded(StepPlace, Duration)
    case stepFailed(StepPlace, RunFailure, Duration)
    /// The person is asked, or the vault answers.
    case secondFactor(SecondFactorEvent)
    /// Something was captured under a name; a secret one as dots.
    case captured(name: String, text: String)
    case downloaded(FetchedDocument)
    case ended(Duration)

    public enum SecondFactorEvent: Sendable {
        case answeredByVault
        case asked(Prompt)
        case answered
    }
}

/// Which step, and what it does in words.
public struct StepPlace: Sendable, Hashable {
    /// Counted from 1 at the script's top level; the steps of `finally` go on counting.
    public var number: Int
    /// How deep inside `when` and interruptions, 0 at the top.
    public var depth: Int
    public var isFinally: Bool
    /// Such as `press “Sign in”`; templates filled in, secrets as dots.
    public var words: String
    public var mark: Mark?
}

/// Is told what happens in a run, in order.
public protocol RunObserver: Sendable {
    /// Nobody is told, so an event need not be put into words.
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

/// Tells several observers, one after the other.
public struct Observers: RunObserver {
    private let observers: [any RunObserver]

    public init(_ observers: [any RunObserver]) {
        self.observers = observers
    }

    public var isSilent: Bool { observers.allSatisfy(\.isSilent) }

    public func observe(_ event: RunEvent) {
        for observer in observers { observer.observe(event) }
    }
}

/// What a run brings home.
public struct FetchedDocument: Sendable, Hashable {
    public var file: URL
    /// Lower-case hex.
    public var sha256: String
    public var bytes: Int

    public init(file: URL, sha256: String, bytes: Int) {
        self.file = file
        self.sha256 = sha256
        self.bytes = bytes
    }
}
