import ArgumentParser
import Authenticator
import Encodings
import Foundation
import HouseholdCommands
import Machine
import QRCode
import Terminal

struct TotpQRCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "qr", abstract: "Show a token as a QR code, for another authenticator to scan.",
        discussion: "The code holds the secret: anyone who photographs it has your second factor.")

    @OptionGroup var vault: VaultOptions

    @Argument(help: "The token's issuer or account, or a part of it.")
    var name: String

    @Option(help: "Write a PNG instead; the file must not exist yet.")
    var png: String?

    func run() async throws {
        let url = try png.map(TypedPath.newFile)
        try await vault.withTokens { open in
            let token = try TokenName.find(name, in: await open.tokens.vault().tokens)
            let code = try QRSymbol(token.uri)
            if let url {
                try AtomicFile.write(code.png(), to: url)
                Console.standard.line("\(token.words) is in \(url.path): delete it after use")
            } else {
                Console.standard.disclose(code.terminalText)
                Console.standard.line(token.words)
            }
            try await open.record(.tokenShownAsQRCode(issuer: token.issuer))
        }
    }
}
