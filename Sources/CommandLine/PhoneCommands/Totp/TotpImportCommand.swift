import ArgumentParser
import Authenticator
import Encodings
import Foundation
import HouseholdCommands
import Machine
import Phone
import PhoneStore
import QRCode
import Secrets
import Storage
import Terminal

struct TotpImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Import the tokens that another authenticator exported.",
        discussion: """
            Accepts this program's encrypted export, exports of Aegis (plain or encrypted), a list of otpauth:// URIs, \
            Google Authenticator's otpauth-migration:// URIs, and pictures of QR codes with any of these URIs. Delete a \
            plain export once it is imported.
            """)

    @OptionGroup var vault: VaultOptions

    @Argument(help: "The file; - for standard input.")
    var file: String

    @Option(help: "A file whose first line is the export's passphrase; without it you are asked.")
    var exportPassphraseFile: String?

    func run() async throws {
        let counts = try await vault.withTokens(creates: true) { open in
            let found = try await read()
            for refusal in found.refusals { Console.standard.error("left out \(refusal.name): \(refusal.reason)") }
            let added = try await open.tokens.change { try $0.add(contentsOf: found.tokens) }
            return (added: added.count, known: found.tokens.count - added.count, refused: found.refusals.count)
        }
        // The tokens are released by now: each printed text is searched for every secret that is alive.
        try await reportingFailures {
            _ = try await PhoneDatabase(vault.phoneHome).audit.record(.tokensImported(counts.added))
        }
        Console.standard.line(
            "\(counts.added) added, \(counts.known) already there, \(counts.refused) left out")
        guard counts.added + counts.known > 0 else { throw CommandFailure("nothing could be imported from \(file)") }
    }

    private func read() async throws -> TokenImport {
        let content: Secret
        var bytes = try TypedPath.bytes(file, atMost: QRCodeReader.largestFile, failingWith: 1)
        defer { bytes.wipe() }
        if file != "-", bytes.starts(with: [0x89, 0x50]) || bytes.starts(with: [0xFF, 0xD8]) {
            do {
                let texts = try await QRCodeReader.texts(in: bytes)
                content = Secret(texts.map { $0.revealed() }.joined(separator: "\n"))
            } catch let error as QRCodeError {
                throw CommandFailure("\(file): \(error.message)")
            }
        } else {
            content = Secret(bytes: bytes)
        }
        return try TokenImport.read(content) {
            if let exportPassphraseFile { return try Asking.secret(inFile: exportPassphraseFile) }
            guard Asking.isPossible, let typed = Asking.secret("The export's passphrase:") else {
                throw CommandFailure("the export is encrypted; give --export-passphrase-file", status: 2)
            }
            return typed
        }
    }
}

struct TotpExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write all tokens to a file, encrypted with its own passphrase.",
        discussion: """
            Only countersign totp import and that passphrase open the file. --plain writes otpauth:// URIs, which every \
            authenticator can read, and so can anyone else who gets the file.
            """)

    @OptionGroup var vault: VaultOptions

    @Argument(help: "The file; it must not exist yet.")
    var file: String

    @Option(help: "A file whose first line is the export's passphrase; without it you are asked.")
    var exportPassphraseFile: String?

    @Flag(help: "Do not encrypt. Anyone who reads the file has all your second factors.")
    var plain = false

    func run() async throws {
        let url = try TypedPath.newFile(file)
        try await vault.withTokens { open in
            let tokens = try await open.tokens.vault()
            guard tokens.count > 0 else { throw CommandFailure("the vault has no tokens to export") }
            if plain {
                let content = TokenExport.plain(tokens)
                try content.withUnsafeBytes { try AtomicFile.write($0, to: url) }
            } else {
                try AtomicFile.write(TokenExport.encrypted(tokens, passphrase: passphrase()), to: url)
            }
            try await open.record(.tokensExported(tokens.count, isEncrypted: !plain))
            Console.standard.line(
                "\(tokens.count.counted("token")) exported to \(file)"
                    + (plain ? ", readable by anyone: delete it after use" : ""))
        }
    }

    private func passphrase() throws -> Secret {
        try Asking.exportPassphrase(
            "A passphrase for the export (at least 12 characters):", inFile: exportPassphraseFile)
    }
}

extension Asking {
    /// The passphrase for a file that is about to be written: the first line of `file`, or typed twice.
    static func exportPassphrase(_ question: String, inFile file: String?) throws -> Secret {
        if let file { return try newPassphrase(inFile: file) }
        guard isPossible else {
            throw CommandFailure("without a terminal, give --export-passphrase-file", status: 2)
        }
        return try typedTwice(question)
    }
}
