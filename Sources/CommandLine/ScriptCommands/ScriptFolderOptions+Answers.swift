import BankScript
import Secrets
import Terminal

extension ScriptFolderOptions {
    /// Returns the credentials that a bank's script declares, from a file or asked one by one.
    ///
    /// - Parameter file: the path of a JSON object, `-` for standard input; nil to ask.
    /// - Throws: ``CommandFailure`` when one is missing, and no terminal can be asked.
    package func answers(forBank bank: String, file: String?) throws -> [String: Secret] {
        let declared = try credentials(ofBank: bank)
        if let file {
            let given = try CredentialsFile(path: file).all
            let missing = (declared ?? []).filter { given[$0] == nil }
            guard missing.isEmpty else {
                throw CommandFailure(
                    "\(file) has no \(missing.joined(separator: ", ")), which the script of “\(bank)” declares; "
                        + "add it to the file", status: 2)
            }
            return given
        }
        guard try !isFiction(bank) else { throw Self.fiction(bank) }
        guard Asking.isPossible else { throw CommandFailure("--credentials is missing", status: 2) }
        var answers: [String: Secret] = [:]
        for name in declared ?? BankScript.usualCredentials { answers[name] = try Self.answer(for: name) }
        return answers
    }

    /// Says that no password is asked for a bank that does not exist: a person could type a real one.
    package static func fiction(_ bank: String) -> CommandFailure {
        CommandFailure(
            "“\(bank)” is the bank that ships with Countersign, and it does not exist, so nothing is asked for it. Name your own "
                + "bank with --bank and --scripts, try the mock bank with countersign up --bank mock, or give made-up "
                + "credentials with --credentials", status: 2)
    }

    /// Asks for one credential of a bank.
    package static func answer(for name: String) throws -> Secret {
        guard let answer = Asking.secret("The bank's \(name.replacing("_", with: " ")):") else {
            throw CommandFailure("no answer was given")
        }
        return answer
    }
}
