import Automation
import Clocks
import PhoneStore
import Secrets

/// The credential providers of plug-ins, by name. One is asked where the vault names it in a value's place.
///
/// It learns the bank's id and the credential's name, after the approval, once in a visit.
package struct PluggedCredentials: Sendable {
    private let providers: [String: any CredentialProvider]
    private let limit: Duration

    /// The most bytes of a credential.
    static let mostBytes = 64 << 10

    /// - Parameter limit: the time for an answer: enough for a person who unlocks something.
    package init(_ providers: [String: any CredentialProvider] = [:], limit: Duration = .seconds(60)) {
        self.providers = providers
        self.limit = limit
    }

    static func entry(_ name: String, _ bankID: String) -> String { "provider/\(bankID)/\(name)" }

    /// Returns the vault's text for a provider. With words before it, the redactor, which masks what living secrets hold, leaves the
    /// name alone in messages.
    static func sealed(_ provider: String) -> Secret { Secret(words + provider) }

    /// Returns the provider's name in the vault's text.
    static func name(_ sealed: Secret) -> String { String(sealed.revealed().dropFirst(words.count)) }

    private static let words = "given by "

    /// Checks that a provider of this name is plugged in.
    ///
    /// - Throws: ``PhoneError`` with the names there are.
    package func check(_ name: String) throws(PhoneError) {
        guard providers[name] == nil else { return }
        let names = providers.isEmpty ? "none" : providers.keys.sorted().joined(separator: ", ")
        throw PhoneError(
            .invalidSetting,
            "no credential provider “\(name.inLine(limit: 60))” is plugged in; the names are: \(names)")
    }

    /// Asks a provider.
    ///
    /// - Throws: ``RunFailure`` that names the provider, when it is not plugged in, throws, hangs, or gives nothing that can be a
    ///   credential.
    package func credential(
        of provider: String, named name: String, ofBank bankID: String
    ) async throws -> Secret {
        func failure(_ problem: String) -> RunFailure {
            RunFailure(
                .credentialUnavailable,
                message: "the credential provider “\(provider.inLine(limit: 60))”, which gives the "
                    + "\(name.replacing("_", with: " ")) of \(bankID), \(problem)")
        }
        guard let plugged = providers[provider] else {
            throw failure("is not plugged into this program; start the program that has it")
        }
        let given: Secret?
        do {
            given = try await callingOut(atMost: limit, on: SystemClock()) {
                try await plugged.credential(named: name, forBank: bankID)
            }
        } catch is TimeLimitExceeded {
            throw failure("gave no answer within \(limit.components.seconds) s; unlock it, and ask again")
        } catch {
            if Task.isCancelled { throw CancellationError() }
            // A stranger's words could hold anything, and this message leaves the phone.
            throw failure("failed: \("\(type(of: error))".inLine(limit: 100))")
        }
        guard let given, !given.isEmpty else { throw failure("has none; store it there, and ask again") }
        let isLine = given.withUnsafeBytes { bytes in
            bytes.count <= Self.mostBytes && CredentialVault.isLine(bytes)
        }
        guard isLine else {
            given.wipe()
            throw failure("gave something else than a line of text")
        }
        return given
    }
}
