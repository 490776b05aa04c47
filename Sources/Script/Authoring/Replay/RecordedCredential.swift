import Automation
import Secrets
import Synchronization

/// The credentials of a run by name, so that a recording can say which one went where.
package final class RecordedCredential: Sendable {
    private let secrets = NamedSecrets()

    package init() {}

    /// Returns the services with providers that tell this of each secret they hand out.
    package func observing(_ services: HostServices) -> HostServices {
        var copy = services
        copy.credentials = Provider(base: services.credentials, secrets: secrets)
        copy.person = Person(base: services.person, secrets: secrets)
        copy.secondFactor = CodeSource(base: services.secondFactor, secrets: secrets)
        copy.codeSources = services.codeSources.mapValues { CodeSource(base: $0, secrets: secrets) }
        return copy
    }

    /// Returns the mark that replaces a value which is a credential; nil for any other value.
    func mark(of value: String) -> String? { secrets.name(of: value).map { "•\($0)•" } }

    /// Returns the name in a mark.
    static func name(in mark: String) -> String? {
        guard mark.count > 2, mark.hasPrefix("•"), mark.hasSuffix("•"), !mark.dropFirst().dropLast().contains("•")
        else { return nil }
        return String(mark.dropFirst().dropLast())
    }

    private struct Provider: CredentialProvider {
        let base: any CredentialProvider
        let secrets: NamedSecrets
        var adviceForMissing: String? { base.adviceForMissing }

        func credential(named name: String, forBank bankID: String) async throws -> Secret? {
            let secret = try await base.credential(named: name, forBank: bankID)
            if let secret { secrets.add(secret, name) }
            return secret
        }
    }

    private struct CodeSource: SecondFactorProvider {
        let base: any SecondFactorProvider
        let secrets: NamedSecrets

        func code(for challenge: SecondFactorChallenge) async throws -> Secret? {
            let secret = try await base.code(for: challenge)
            if let secret { secrets.add(secret, ReplayAnswers.codeName) }
            return secret
        }
    }

    private struct Person: HumanPrompt {
        let base: any HumanPrompt
        let secrets: NamedSecrets

        func answer(_ prompt: Prompt) async throws -> Secret {
            let secret = try await base.answer(prompt)
            if case .code = prompt.kind { secrets.add(secret, ReplayAnswers.codeName) }
            return secret
        }
    }
}

/// The secrets that a run has used, by name.
private final class NamedSecrets: Sendable {
    private let secrets = Mutex<[(name: String, secret: Secret)]>([])

    func add(_ secret: Secret, _ name: String) { secrets.withLock { $0.append((name, secret)) } }

    /// Returns the name of the secret with this text. A text of fewer than four bytes is too common to be told from others.
    func name(of text: String) -> String? {
        guard text.utf8.count >= 4 else { return nil }
        return secrets.withLock { all in all.last { $0.secret.revealed() == text }?.name }
    }
}
