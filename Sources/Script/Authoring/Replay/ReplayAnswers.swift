import Automation
import Foundation
import Secrets

/// Stands in for the customer in a replay: its credentials and codes are invented, and the replay knows them again in
/// what the script submits.
package struct ReplayAnswers: CredentialProvider, HumanPrompt {
    /// Invented credentials are e-mail addresses, so that fields of every common type accept them.
    private static let ending = "@replay.invalid"
    private static let code = "000000"
    package static let codeName = "code"

    package init() {}

    package func credential(named name: String, forBank bankID: String) async throws -> Secret? {
        Secret(name + Self.ending)
    }

    package func answer(_ prompt: Prompt) async throws -> Secret {
        switch prompt.kind {
        case .code: return Secret(Self.code)
        case .choice(let options): return Secret(options.first ?? "")
        case .confirmElsewhere:
            try await Task.sleep(for: .seconds(86_400))
            return Secret("")
        }
    }

    /// Returns the credential that an invented value stands for; nil for any other value.
    static func name(of value: String) -> String? {
        if value == code { return codeName }
        guard value.hasSuffix(ending), value.count > ending.count else { return nil }
        return String(value.dropLast(ending.count))
    }
}
