import ArgumentParser
import Foundation
import PhoneRunner
import Secrets

/// Where the phone's state is, and how its vault is opened.
struct VaultOptions: ParsableArguments {
    @Option(help: "The phone’s folder (COUNTERSIGN_HOME); ~/.countersign otherwise.")
    var home: String?

    @Option(help: "A file whose first line is the vault’s passphrase, where nobody can type; - for standard input.")
    var passphraseFile: String?

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
}
