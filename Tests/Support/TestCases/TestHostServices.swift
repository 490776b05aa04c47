import Automation
import Secrets
import Synchronization

/// A person who answers every prompt with one code, or never answers.
public struct TestPerson: HumanPrompt {
    private let code: String?

    public init(code: String? = nil) {
        self.code = code
    }

    public func answer(_ prompt: Prompt) async throws -> Secret {
        guard let code else {
            try await Task.sleep(for: .seconds(3600))
            return Secret("")
        }
        return Secret(code)
    }
}

/// Credentials from a dictionary, the same for every bank.
public struct TestCredentials: CredentialProvider {
    private let values: [String: String]

    public var adviceForMissing: String? { "store it with: countersign phone setup" }

    public init(values: [String: String]) {
        self.values = values
    }

    public func credential(named name: String, forBank bankID: String) async throws -> Secret? {
        values[name].map(Secret.init)
    }
}

/// An observer that collects the ended steps of a run: `✓` or `✗`, and the step in words.
public final class StepLog: RunObserver {
    private let seen = Mutex<[String]>([])

    public init() {}

    public var words: [String] { seen.withLock { $0 } }

    public func observe(_ event: RunEvent) {
        switch event {
        case .stepEnded(let place, _): seen.withLock { $0.append("✓ \(place.words)") }
        case .stepFailed(let place, _, _): seen.withLock { $0.append("✗ \(place.words)") }
        default: break
        }
    }
}
