import ArgumentParser
import Authenticator
import Encodings
import Foundation
import HouseholdCommands
import QRCode
import Secrets
import Terminal

struct TotpAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a token from a QR code, an otpauth URI, or by typing it.",
        discussion: """
            Other processes can read the command line, so it never holds a secret: without an option you are asked for it, \
            and it is not shown while you type.
            """)

    @OptionGroup var vault: VaultOptions

    @Option(help: "A PNG or JPEG of the QR code, such as a screenshot.")
    var qr: String?

    @Option(help: "A file whose first line is the otpauth:// URI; - for standard input.")
    var uriFile: String?

    @Option(help: "The service, such as the bank's name; replaces the URI's.")
    var issuer: String?

    @Option(help: "Your account at the service; replaces the URI's.")
    var account: String?

    @Option(help: "Of a secret that you type: the number of digits in a code, 6 (the usual one) or 8.")
    var digits: Int?

    @Option(help: "Of a secret that you type: the seconds for which a code is valid, usually 30.")
    var period: Int?

    @Option(help: "Of a secret that you type: \(TOTPAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")).")
    var algorithm: TOTPAlgorithm?

    @Option(help: "Link the token to this bank, so that it answers the bank's request for a code.")
    var bank: String?

    @Argument(help: .hidden)
    var given: [String] = []

    private var hasForm: Bool { digits != nil || period != nil || algorithm != nil }

    private static let formOfURI =
        "the URI says the digits, the period and the algorithm itself; leave --digits, --period and --algorithm out"

    func validate() throws {
        guard given.isEmpty else {
            throw ValidationError(
                "a secret on the command line can be read by other programs; "
                    + "use --uri-file - or --qr, or give neither and type it")
        }
        guard qr == nil || uriFile == nil else { throw ValidationError("give --qr or --uri-file, not both") }
        guard [nil, 6, 8].contains(digits) else { throw ValidationError("--digits is 6 or 8") }
        guard (1...86_400).contains(period ?? 1) else { throw ValidationError("--period goes from 1 to 86400 seconds") }
        guard qr == nil && uriFile == nil || !hasForm else { throw ValidationError(Self.formOfURI) }
        guard uriFile != "-" || vault.passphraseFile != "-" else {
            throw ValidationError("standard input cannot be both the URI and the passphrase")
        }
    }

    func run() async throws {
        let uris = try await reportingFailures { try await pictured() }
        try await vault.withTokens(creates: true) { open in
            let tokens = try (uris ?? [try fromFile()].compactMap { $0 }).flatMap(tokens(of:))
            let wanted = tokens.isEmpty ? [try asked()] : tokens
            let added = try await open.tokens.change { try $0.add(contentsOf: wanted) }
            guard !added.isEmpty else {
                throw CommandFailure("the vault already has this token: \(wanted[0].words)")
            }
            for token in added {
                try await open.record(.tokenAdded(issuer: token.issuer))
                if let bank { try await open.links.link(token, toBank: bank) }
                Console.standard.line(
                    "added \(token.words)" + (bank.map { "; it now answers the bank “\($0)”" } ?? ""))
            }
        }
    }

    private func pictured() async throws -> [Secret]? {
        guard let qr else { return nil }
        return try await QRCodeReader.texts(in: URL(filePath: TypedPath.expanded(qr)))
    }

    private func fromFile() throws -> Secret? {
        guard let uriFile else { return nil }
        let line = try Asking.secret(inFile: uriFile)
        guard Self.begins(line, with: "otpauth") else {
            throw CommandFailure(
                "the first line of \(uriFile) does not begin with otpauth://, as the text of a code for an authenticator app does; "
                    + "for a picture of the QR code give --qr FILE, or give neither and type the secret", status: 2)
        }
        return line
    }

    private static func begins(_ text: Secret, with scheme: String) -> Bool {
        text.revealed().trimmingCharacters(in: .whitespacesAndNewlines).lowercased().hasPrefix(scheme)
    }

    private func tokens(of text: Secret) throws -> [Token] {
        if Self.begins(text, with: "otpauth-migration") {
            let found = try TokenImport.read(text) { Secret("") }
            for refusal in found.refusals { Console.standard.error("left out \(refusal.name): \(refusal.reason)") }
            guard !found.tokens.isEmpty else { throw CommandFailure("none of the export's tokens could be imported") }
            return found.tokens
        }
        return [try OTPAuthURI(text).token(issuer: issuer, account: account)]
    }

    private func asked() throws -> Token {
        guard Asking.isPossible else {
            throw CommandFailure("without a terminal, give --qr or --uri-file", status: 2)
        }
        guard let typed = Asking.secret("The otpauth:// URI, or only the secret (not shown):"), !typed.isEmpty else {
            throw CommandFailure("no input was given")
        }
        if Self.begins(typed, with: "otpauth") {
            guard !hasForm else { throw CommandFailure(Self.formOfURI, status: 2) }
            return try tokens(of: typed)[0]
        }
        guard let issuer = issuer ?? Asking.line("The service, such as the bank's name:"),
            let account = account ?? Asking.line("Your account there, such as your username:")
        else { throw CommandFailure("no input was given") }
        return try Token(
            issuer: issuer, account: account, secret: typed, digits: digits ?? Token.defaultDigits,
            period: period ?? Token.defaultPeriod, algorithm: algorithm ?? .sha1)
    }
}

extension TOTPAlgorithm: ExpressibleByArgument {
    public init?(argument: String) { self.init(named: argument) }
}
