import Automation
import Foundation
import KeyVault
import PhoneStore
import Secrets
import Synchronization
import TestParties
import Testing

@testable import Phone

@Suite("A credential of a plug-in's provider", .timeLimit(.minutes(3)))
struct PluggedCredentialsTests {
    private enum Mood: Sendable {
        case good, none, empty, throwing, hanging, twoLines, long
    }

    private struct Trouble: Error, CustomStringConvertible {
        let description = "it is locked\nyes?"
    }

    private final class Provider: CredentialProvider {
        let mood: Mood
        let asked = Mutex<[String]>([])

        init(_ mood: Mood) {
            self.mood = mood
        }

        func credential(named name: String, forBank bankID: String) async throws -> Secret? {
            asked.withLock { $0.append("\(name) of \(bankID)") }
            switch mood {
            case .good: return Secret("of the provider")
            case .none: return nil
            case .empty: return Secret("")
            case .throwing: throw Trouble()
            case .hanging:
                // Heeds no cancellation.
                await withCheckedContinuation { continuation in
                    DispatchQueue.global().asyncAfter(deadline: .now() + 5) { continuation.resume() }
                }
                return nil
            case .twoLines: return Secret("one\ntwo")
            case .long: return Secret(String(repeating: "x", count: PluggedCredentials.mostBytes + 1))
            }
        }
    }

    private static func plugged(_ provider: Provider) -> PluggedCredentials {
        PluggedCredentials(["keys": provider], limit: provider.mood == .hanging ? .milliseconds(100) : .seconds(30))
    }

    @Test("takes the place of a value or a program, is asked once in a visit, and gives way again")
    func places() async throws {
        try await TestPhone.with { phone in
            let secrets = try await phone.vault.open(passphrase: TestPhone.passphrase)
            defer { secrets.close() }
            let vault = CredentialVault(secrets, store: try PhoneDatabase(phone.home))
            let program = try CredentialProgram(["/bin/sh", "-c", "echo of-the-program"])
            try await vault.set(program, for: "password", ofBank: "default")
            try await vault.set(provider: "keys", for: "password", ofBank: "default")
            let bank = try #require(try await vault.banks().first)
            #expect(bank.credentials == ["password", "username"] && bank.providers == ["password": "keys"])
            #expect(bank.programs.isEmpty)
            #expect(try await vault.holdsCredentials(forBank: "default"))

            let given = GivenCredentials()
            let provider = Provider(.good)
            let credentials = vault.provider(forBank: "default", keeping: given, of: Self.plugged(provider))
            for _ in 1...2 {
                let secret = try #require(try await credentials.credential(named: "password", forBank: "default"))
                #expect(secret.revealed() == "of the provider")
                secret.wipe()
            }
            #expect(
                try await credentials.credential(named: "username", forBank: "default")?.revealed() == "ada.lovelace")
            #expect(provider.asked.withLock { $0 } == ["password of default"])

            try await vault.set(["password": Secret("of-the-vault")], forBank: "default")
            #expect(
                try await credentials.credential(named: "password", forBank: "default")?.revealed() == "of-the-vault")
            try await vault.set(provider: "keys", for: "pin", ofBank: "default")
            try await vault.set(program, for: "pin", ofBank: "default")
            #expect(try await vault.banks().first?.providers.isEmpty == true)
            try await vault.set(provider: "keys", for: "password", ofBank: "default")
            try await vault.removeAll(forBank: "default")
            #expect(try await secrets.names().filter { $0.contains("/default/") }.isEmpty)
        }
    }

    @Test(
        "that cannot be one fails the run before a sign-in, and names the provider",
        arguments: [
            (Mood.none, "has none"), (.empty, "has none"), (.throwing, "failed: Trouble"),
            (.hanging, "gave no answer within 0 s"), (.twoLines, "gave something else than a line of text"),
            (.long, "gave something else than a line of text"),
        ])
    private func bad(_ mood: Mood, _ words: String) async throws {
        try await TestPhone.with { phone in
            let secrets = try await phone.vault.open(passphrase: TestPhone.passphrase)
            defer { secrets.close() }
            let vault = CredentialVault(secrets, store: try PhoneDatabase(phone.home))
            try await vault.set(provider: "keys", for: "password", ofBank: "default")
            let credentials = vault.provider(
                forBank: "default", keeping: GivenCredentials(), of: Self.plugged(Provider(mood))
            ) { Issue.record("a sign-in began") }
            let failure = await #expect(throws: RunFailure.self) {
                try await credentials.credential(named: "password", forBank: "default")
            }
            #expect(failure?.code == .credentialUnavailable)
            #expect(
                failure?.message.hasPrefix(
                    "the credential provider “keys”, which gives the password of default, \(words)") == true,
                "\(failure?.message ?? "")")
        }
    }

    @Test("says which plug-in is missing in a program without it")
    func missing() async throws {
        let failure = await #expect(throws: RunFailure.self) {
            try await PluggedCredentials().credential(of: "keys", named: "password", ofBank: "default")
        }
        #expect(failure?.message.contains("“keys”") == true)
        #expect(failure?.message.contains("is not plugged into this program") == true)
        let error = #expect(throws: PhoneError.self) { try Self.plugged(Provider(.good)).check("key") }
        #expect(error?.message == "no credential provider “key” is plugged in; the names are: keys")
    }
}
