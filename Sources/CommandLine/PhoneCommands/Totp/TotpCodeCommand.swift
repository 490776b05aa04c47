import ArgumentParser
import Authenticator
import Encodings
import Foundation
import HouseholdCommands
import Terminal

struct TotpCodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "code", abstract: "Show a token's code, and how long it is valid.")

    @OptionGroup var vault: VaultOptions

    @Argument(help: "The token's issuer or account, or a part of it; not needed if there is only one token.")
    var name: String?

    @Flag(help: "Count down, and show each new code; end with Ctrl-C.")
    var watch = false

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        let token = try await vault.withTokens { open in
            let tokens = try await open.tokens.vault().tokens
            let token = try name.map { try TokenName.find($0, in: tokens) } ?? TokenName.only(tokens)
            try await open.record(.codeShown(issuer: token.issuer))
            return token
        }
        guard watch else { return show(token) }
        try await interruptibly {
            repeat {
                if json || !Asking.isPossible {
                    show(token)
                    let left = token.code().timeLeft(at: Date())
                    try await Task.sleep(for: .seconds(left + 0.05))
                } else {
                    Console.standard.disclose("\r\u{1B}[K\(line(of: token, at: Date()))")
                    try await Task.sleep(for: .milliseconds(250))
                }
            } while !Task.isCancelled
        }
    }

    private func show(_ token: Token) {
        let now = Date()
        guard json else { return Console.standard.disclose(line(of: token, at: now) + "\n") }
        let code = token.code(at: now)
        let fields: JSONValue = [
            "issuer": .string(token.issuer), "account": .string(token.account),
            "code": .string(code.digits.revealed()), "seconds_left": .number(code.timeLeft(at: now).rounded(.up)),
        ]
        Console.standard.disclose(fields.compactText() + "\n")
    }

    private func line(of token: Token, at now: Date) -> String {
        let code = token.code(at: now)
        return "\(code.grouped.revealed())  \(Int(code.timeLeft(at: now).rounded(.up))) s left  \(token.words)"
    }

    /// Ends `body` at Ctrl-C, and clears the last line so that no code stays on the screen.
    private func interruptibly(_ body: @escaping @Sendable () async throws -> Void) async throws {
        signal(SIGINT, SIG_IGN)
        let task = Task { try await body() }
        let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        source.setEventHandler { task.cancel() }
        source.resume()
        defer { source.cancel() }
        do {
            try await task.value
        } catch is CancellationError {
            if Asking.isPossible, !json { Console.standard.disclose("\r\u{1B}[K") }
        }
    }
}
