import ArgumentParser
import Authenticator
import Encodings
import Foundation
import HouseholdCommands
import KeyVault
import Phone
import PhoneStore
import Secrets
import Storage
import Terminal

package struct TotpCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "totp", abstract: "Manage the one-time codes that banks ask for at login.",
        discussion: """
            Tokens are stored encrypted beside the phone's credentials, and open with the same passphrase. A token that is \
            linked to a bank answers that bank's request for a code, after your approval.
            """,
        subcommands: [
            TotpAddCommand.self, TotpListCommand.self, TotpCodeCommand.self, TotpRenameCommand.self,
            TotpRemoveCommand.self, TotpLinkCommand.self, TotpUnlinkCommand.self, TotpImportCommand.self,
            TotpExportCommand.self, TotpQRCommand.self, TotpSyncCommand.self,
        ])
    package init() {}
}

/// The tokens, with the vault open for one command.
struct OpenTokens {
    let home: PhoneHome
    let secrets: VaultSecretStore
    let tokens: TokenStore
    let store: PhoneDatabase

    var links: TokenLinks { TokenLinks(secrets, store: store) }

    func record(_ event: AuditEvent) async throws { try await store.audit.record(event) }
}

extension VaultOptions {
    /// Opens the vault for `body`, and closes it afterwards. With `creates`, a vault that does not exist is created.
    func withTokens<Result>(
        creates: Bool = false, _ body: (OpenTokens) async throws -> Result
    ) async throws -> Result {
        try await reportingFailures {
            let home = phoneHome
            let secrets = try await creates && !home.vault.exists ? created(home) : opened(home)
            defer { secrets.close() }
            return try await body(
                OpenTokens(
                    home: home, secrets: secrets, tokens: try await home.tokens(secrets), store: try PhoneDatabase(home)
                ))
        }
    }

    private func opened(_ home: PhoneHome) async throws -> VaultSecretStore {
        guard home.vault.exists else {
            try self.home.checkMayMakeVault()
            throw CommandFailure("\(home.folder.path) has no tokens yet; start with: countersign totp add")
        }
        return try await home.open(PassphraseVerification(passphrase()), reason: "Open the tokens")
    }

    private func created(_ home: PhoneHome) async throws -> VaultSecretStore {
        let new = try newPassphrase("A passphrase for a new vault")
        try home.prepare()
        return try await home.vault.create(passphrase: new)
    }
}

/// Finds a token by the name that the person gives.
enum TokenName {
    /// Returns the token whose issuer or account is `name`, else the one whose issuer or account contains it.
    static func find(_ name: String, in vault: [Token]) throws -> Token {
        let exact = vault.filter { $0.isNamed(name) || "\($0.issuer):\($0.account)".lowercased() == name.lowercased() }
        let partly = vault.filter { token in
            [token.issuer, token.account].contains { $0.localizedCaseInsensitiveContains(name) }
        }
        let found = exact.isEmpty ? partly : exact
        if found.count == 1 { return found[0] }
        guard found.isEmpty else {
            throw CommandFailure("\(found.count) tokens match “\(name)”; choose one of:\n\(list(found))")
        }
        throw vault.isEmpty ? none : CommandFailure("no token matches “\(name)”; the tokens are:\n\(list(vault))")
    }

    /// Returns the only token.
    static func only(_ vault: [Token]) throws -> Token {
        guard vault.count != 1 else { return vault[0] }
        throw vault.isEmpty ? none : CommandFailure("name one of the tokens:\n\(list(vault))", status: 2)
    }

    private static var none: CommandFailure {
        CommandFailure("the vault has no tokens yet; start with: countersign totp add")
    }

    private static func list(_ tokens: [Token]) -> String {
        let shown = tokens.prefix(8).map { "  \($0.issuer):\($0.account)" }
        return (shown + (tokens.count > 8 ? ["  and \(tokens.count - 8) more"] : [])).joined(separator: "\n")
    }
}

extension Token {
    var words: String { "\(issuer), \(account)" }

    /// Everything but the secret.
    var json: [String: JSONValue] {
        [
            "id": .string(id.uuidString), "issuer": .string(issuer), "account": .string(account),
            "digits": .number(Double(digits)), "period": .number(Double(period)),
            "algorithm": .string(algorithm.rawValue),
        ]
    }
}
