import ArgumentParser
import Authenticator
import Encodings
import Foundation
import HouseholdCommands
import Machine
import Phone
import Secrets
import Terminal

struct TotpSyncCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Share the tokens with other devices through a synced folder.",
        discussion: """
            The folder holds one encrypted file. On the first device, run: totp sync use FOLDER, then totp sync invite \
            FILE. On the next one: totp sync join FILE, then totp sync use FOLDER.
            """,
        subcommands: [
            TotpSyncStatusCommand.self, TotpSyncUseCommand.self, TotpSyncStopCommand.self, TotpSyncInviteCommand.self,
            TotpSyncJoinCommand.self,
        ], defaultSubcommand: TotpSyncStatusCommand.self)
}

struct TotpSyncStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Merge the copies, and show whether they are in step.")

    @OptionGroup var vault: VaultOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await vault.withTokens { open in
            let folder = try await open.home.syncedTokenFolder(open.secrets)
            let result = try await open.tokens.sync()
            let (state, words) =
                switch result.sync {
                case .off: ("off", "not synced; start with: countersign totp sync use FOLDER")
                case .inStep: ("in_step", "in step with \(folder?.path ?? "")")
                case .apart(let reason): ("apart", "not in step with \(folder?.path ?? ""): \(reason)")
                }
            guard !json else {
                let fields: JSONValue = [
                    "state": .string(state), "folder": folder.map { .string($0.path) } ?? .null,
                    "tokens": .number(Double(result.vault.count)),
                    "deleted": .number(Double(result.vault.tombstoneCount)),
                    "merged_versions": .number(Double(result.mergedVersions)), "message": .string(words),
                ]
                return Console.standard.line(fields.compactText())
            }
            Console.standard.line("\(result.vault.count.counted("token")), \(words)")
            if result.mergedVersions > 0 {
                Console.standard.line("\(result.mergedVersions) conflicting versions were merged")
            }
            if case .apart = result.sync { throw ExitCode(1) }
        }
    }
}

struct TotpSyncUseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "use", abstract: "Sync through this folder from now on.")

    @OptionGroup var vault: VaultOptions

    @Argument(help: "A folder that a sync program keeps the same on your devices.")
    var folder: String

    func run() async throws {
        try await vault.withTokens(creates: true) { open in
            let url = URL(filePath: TypedPath.expanded(folder), directoryHint: .isDirectory).standardizedFileURL
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder), isFolder.boolValue else {
                throw CommandFailure("\(url.path) is not a folder; create or mount it first")
            }
            let trial = TokenStore(
                folder: open.home.tokenFolder, secrets: open.secrets, synced: FolderKeyValueStore(url))
            let result = try await trial.sync()
            if case .apart(let reason) = result.sync {
                throw CommandFailure(
                    "\(url.path) is not used: \(reason). If another of your devices wrote it, run there: "
                        + "countersign totp sync invite FILE, and here: countersign totp sync join FILE")
            }
            try await open.home.syncTokens(through: url, open.secrets)
            try await open.record(.tokensSynced(folder: url.path))
            Console.standard.line("\(result.vault.count.counted("token")), in step with \(url.path)")
        }
    }
}

struct TotpSyncStopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "Stop syncing. The tokens stay on this device and in the folder.")

    @OptionGroup var vault: VaultOptions

    func run() async throws {
        try await vault.withTokens { open in
            try await open.home.syncTokens(through: nil, open.secrets)
            try await open.record(.tokenSyncStopped)
            Console.standard.line("syncing has stopped; the tokens stay on this device and in the folder")
        }
    }
}

struct TotpSyncInviteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite",
        abstract: "Write the tokens' key for another device, to a file that a passphrase opens.")

    @OptionGroup var vault: VaultOptions

    @Argument(help: "The file; it must not exist yet. Carry it over by hand, not through the synced folder.")
    var file: String

    @Option(help: "A file whose first line is the new file's passphrase; without it you are asked.")
    var exportPassphraseFile: String?

    func run() async throws {
        let url = try TypedPath.newFile(file)
        try await vault.withTokens { open in
            guard let key = try await open.tokens.key() else {
                throw CommandFailure(
                    "the vault has no tokens yet, and so no key; start with: countersign totp add")
            }
            let passphrase = try Asking.exportPassphrase(
                "A passphrase for the file (at least 12 characters):", inFile: exportPassphraseFile)
            try AtomicFile.write(TokenExport.key(key, passphrase: passphrase), to: url)
            try await open.record(.tokenSyncInvited)
            Console.standard.line("On the other device: countersign totp sync join \(url.lastPathComponent)")
        }
    }
}

struct TotpSyncJoinCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "join", abstract: "Import the key that another device wrote; your own tokens are kept.")

    @OptionGroup var vault: VaultOptions

    @Argument(help: "The file that totp sync invite wrote.")
    var file: String

    @Option(help: "A file whose first line is that file's passphrase; without it you are asked.")
    var exportPassphraseFile: String?

    func run() async throws {
        let bytes = try await reportingFailures {
            do {
                return try OpenedFile(URL(filePath: TypedPath.expanded(file))).bytes(atMost: 1 << 16)
            } catch {
                throw CommandFailure("\(file) cannot be read; check that it exists and that you may read it")
            }
        }
        try await vault.withTokens(creates: true) { open in
            let passphrase =
                try exportPassphraseFile.map { try Asking.secret(inFile: $0) }
                ?? Asking.secret("The file's passphrase:") ?? Secret("")
            try await open.tokens.adopt(TokenExport.key(from: bytes, passphrase: passphrase))
            try await open.record(.tokenSyncJoined)
            Console.standard.line("the key is imported; next: countersign totp sync use FOLDER")
        }
    }
}
