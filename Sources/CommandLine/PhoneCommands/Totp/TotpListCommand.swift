import ArgumentParser
import Authenticator
import Encodings
import Foundation
import HouseholdCommands
import Terminal

struct TotpListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the tokens, without codes.")

    @OptionGroup var vault: VaultOptions

    @Flag(help: "Print JSON, one token per line.")
    var json = false

    func run() async throws {
        let lines = try await vault.withTokens { open in
            let links = try await open.store.linkedTokens()
            let result = try await open.tokens.sync()
            if case .apart(let reason) = result.sync { Console.standard.error("not synced: \(reason)") }
            // Return lines, not tokens: each printed line is searched for every secret that is alive.
            return result.vault.tokens.map { token in
                let banks = links.filter { $0.tokenID == token.id }.map(\.bankID)
                guard !json else {
                    return JSONValue.object(token.json.merging(["banks": .array(banks.map(JSONValue.string))]) { $1 })
                        .compactText()
                }
                let shape = "\(token.digits) digits, \(token.period) s, \(token.algorithm.rawValue)"
                return "\(token.words)  (\(shape))"
                    + (banks.isEmpty ? "" : "  answers \(banks.joined(separator: ", "))")
            }
        }
        for line in lines { Console.standard.line(line) }
        if lines.isEmpty, !json {
            Console.standard.line("the vault has no tokens yet; start with: countersign totp add")
        }
    }
}

struct TotpRenameCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename", abstract: "Change a token's issuer or account.",
        discussion: "The secret, digits, period and algorithm cannot be changed: add a new token instead.")

    @OptionGroup var vault: VaultOptions

    @Argument(help: "The token's issuer or account, or a part of it.")
    var name: String

    @Option(help: "The new issuer.")
    var issuer: String?

    @Option(help: "The new account.")
    var account: String?

    func validate() throws {
        guard issuer != nil || account != nil else { throw ValidationError("give --issuer, --account or both") }
    }

    func run() async throws {
        try await vault.withTokens { open in
            let token = try TokenName.find(name, in: await open.tokens.vault().tokens)
            let renamed = try await open.tokens.change { vault in
                try vault.rename(token.id, issuer: issuer, account: account)
                return vault.token(token.id) ?? token
            }
            for link in try await open.store.linkedTokens() where link.tokenID == token.id {
                try await open.links.link(renamed, toBank: link.bankID)
            }
            try await open.record(.tokenEdited(from: token.issuer, to: renamed.issuer))
            Console.standard.line("\(token.words) is now \(renamed.words)")
        }
    }
}

struct TotpRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a token, here and on all synced devices.")

    @OptionGroup var vault: VaultOptions

    @Argument(help: "The token's issuer or account, or a part of it.")
    var name: String

    @Flag(help: "Do not ask.")
    var yes = false

    func run() async throws {
        try await vault.withTokens { open in
            let token = try TokenName.find(name, in: await open.tokens.vault().tokens)
            if !yes {
                guard Asking.isPossible else {
                    throw CommandFailure("without a terminal, give --yes if you are sure", status: 2)
                }
                guard Asking.yes("Delete \(token.words)? The service may lock you out without it.") else {
                    throw CommandFailure("nothing was deleted")
                }
            }
            try await open.tokens.change { try $0.delete(token.id) }
            try await open.links.unlink(token: token.id)
            try await open.record(.tokenDeleted(issuer: token.issuer))
            Console.standard.line("deleted \(token.words)")
        }
    }
}
