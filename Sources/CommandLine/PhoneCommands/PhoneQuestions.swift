import ArgumentParser
import Foundation
import HouseholdCommands
import Phone
import ScriptCommands
import Secrets
import Terminal

/// The inbox, the bank's credentials and the passphrase of a new phone, from options or asked at the terminal.
struct PhoneQuestions: ParsableArguments {
    @Option(help: "The synced folder that the broker reads.")
    var inbox: String?

    @Option(help: "A JSON file such as {\"username\": \"…\", \"password\": \"…\"}, - for standard input.")
    var credentials: String?

    @Option(help: "The bank's id; needed when there are several scripts.")
    var bank: String?

    /// Returns the inbox's absolute path.
    func inboxPath() throws -> String {
        let folder = try inbox ?? Self.asked("The synced inbox folder:", "--inbox")
        return URL(filePath: TypedPath.expanded(folder)).standardizedFileURL.path
    }

    /// Returns the credentials that the bank's script declares, from the file or asked one by one.
    ///
    /// - Parameter scripts: where the script of the bank is.
    func credentials(ofBank bank: String, _ scripts: ScriptFolderOptions) throws -> [String: Secret] {
        try scripts.answers(forBank: bank, file: credentials)
    }

    /// Returns the id of the bank: the given one, else that of the household or of the only script.
    func bankID(_ scripts: ScriptFolderOptions) throws -> String { try bank ?? scripts.usualBank() }

    /// Asks for the passphrase of the home's vault, twice if the vault does not exist yet.
    func passphrase(_ vault: VaultOptions) throws -> Secret {
        if vault.phoneHome.vault.exists { return try vault.passphrase() }
        return try vault.newPassphrase("A passphrase for the vault")
    }

    static func asked(_ question: String, _ option: String) throws -> String {
        guard Asking.isPossible else { throw CommandFailure("without a terminal, give \(option)", status: 2) }
        guard let answer = Asking.line(question), !answer.isEmpty else { throw CommandFailure("no answer was given") }
        return answer
    }
}
