import ArgumentParser
import Automation
import Foundation
import PhoneRunner
import Secrets
import Signer

/// Where the phone's state is, and how its vault is opened.
struct PhoneOptions: ParsableArguments {
    @Option(help: "The phone’s folder (COUNTERSIGN_HOME); ~/.countersign otherwise.")
    var home: String?

    @Option(help: "A file whose first line is the vault’s passphrase, where nobody can type; - for standard input.")
    var passphraseFile: String?

    @Option(
        name: .customLong("bank-at"),
        help: ArgumentHelp("Reach the bank at this origin instead, such as a mock bank’s.", valueName: "origin"))
    var bankOrigin: String?

    @Option(name: .customLong("ca"), help: "A PEM file with one more certificate authority, such as a mock bank’s.")
    var certificateAuthority: String?

    @OptionGroup var scriptFolder: ScriptFolderOptions

    var phoneHome: PhoneHome {
        let path = home ?? ProcessInfo.processInfo.environment["COUNTERSIGN_HOME"] ?? "~/.countersign"
        return PhoneHome(URL(filePath: Self.expanded(path), directoryHint: .isDirectory).standardizedFileURL)
    }

    /// A leading `~` is the home folder, `HOME` if it is set.
    static func expanded(_ path: String) -> String {
        guard path == "~" || path.hasPrefix("~/") else { return path }
        return (ProcessInfo.processInfo.environment["HOME"] ?? NSHomeDirectory()) + path.dropFirst()
    }

    func passphrase(_ question: String = "Passphrase of the vault:") throws -> Secret {
        if let passphraseFile { return try Asking.secret(inFile: passphraseFile) }
        guard Asking.isPossible else {
            throw CommandFailure("there is no terminal to ask for the passphrase at; give --passphrase-file", status: 2)
        }
        guard let typed = Asking.secret(question), !typed.isEmpty else {
            throw CommandFailure("no passphrase was given")
        }
        return typed
    }

    /// A runner on this home, its connection read from the vault.
    func runner(_ verification: PassphraseVerification) async throws -> PhoneRunner {
        let home = phoneHome
        guard home.vault.exists else {
            throw CommandFailure("\(home.folder.path) is no phone yet; run: countersign phone setup")
        }
        let vault = try await verification.open(home.vault, reason: "Connect to the broker")
        defer { vault.close() }
        return try PhoneRunner(home: home, connection: try await PhoneConnection(from: vault), services: try services)
    }

    /// - Throws: ``CommandFailure`` when the scripts' folder cannot be read.
    var services: PhoneServices {
        get throws {
            var registry = try scriptFolder.registry(home: phoneHome.folder)
            if let bankOrigin {
                let isForTesting = ScriptArgument.isLoopback(bankOrigin)
                registry = registry.changing { $0.served(at: bankOrigin, isForTesting: isForTesting) }
            }
            let engine = EngineConfiguration(certificateAuthority: certificateAuthority.map { URL(filePath: $0) })
            return PhoneServices(scripts: registry, person: TerminalPrompt()) {
                try HTMLNavigationEngine(for: $0, configuration: engine)
            }
        }
    }
}

/// Turns what the phone's parts throw into one clear line.
func clearly<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
        return try await body()
    } catch let error as CommandFailure {
        throw error
    } catch let error as ExitCode {
        throw error
    } catch {
        throw CommandFailure("\(error)")
    }
}
