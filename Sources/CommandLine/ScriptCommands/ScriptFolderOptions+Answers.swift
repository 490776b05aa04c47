import BankScript
import DefaultBank
import Secrets
import Terminal

extension ScriptFolderOptions {
    /// Returns the credentials that a bank's script declares, from a file or asked one by one.
    ///
    /// - Parameter file: the path of a JSON object, `-` for standard input; nil to ask.
    /// - Throws: ``CommandFailure`` when one is missing and no terminal can be asked, and for a file with a mistyped
    ///   field.
    package func answers(forBank bank: String, file: String?) throws -> [String: Secret] {
        try Self.answers(to: try script(ofBank: bank), ofBank: bank, file: file)
    }

    /// Returns the credentials that a script declares, from a file or asked one by one.
    ///
    /// - Parameter script: nil for a bank without one, which gets the usual two.
    package static func answers(
        to script: BankScript?, ofBank bank: String, file: String?
    ) throws -> [String: Secret] {
        if let file {
            let given = try script.map { try CredentialsFile(path: file, for: $0) } ?? CredentialsFile(path: file)
            let missing = (script?.credentials ?? []).filter { given.all[$0] == nil }
            guard missing.isEmpty else {
                throw CommandFailure(
                    "\(file) has no \(missing.joined(separator: ", ")), which the script of “\(bank)” declares; "
                        + "add it to the file", status: 2)
            }
            // A phone keeps nothing that no script uses.
            let declared = script.map(CredentialsFile.declared)
            return given.all.filter { declared?.contains($0.key) != false }
        }
        guard script?.isOfFictitiousBank != true else { throw fiction(bank) }
        guard Asking.isPossible else { throw CommandFailure("--credentials is missing", status: 2) }
        var answers: [String: Secret] = [:]
        for name in script?.credentials ?? BankScript.usualCredentials {
            answers[name] = try answer(for: name, at: script?.name ?? bank)
        }
        return answers
    }

    /// Says that no password is asked for a bank that does not exist: a person could type a real one.
    package static func fiction(_ bank: String) -> CommandFailure {
        CommandFailure(
            "“\(bank)” is the bank that ships with Countersign, and it does not exist, so nothing is asked for it. Name your own "
                + "bank with --bank and --scripts, try the mock bank with countersign up --bank mock, or give made-up "
                + "credentials with --credentials", status: 2)
    }

    /// Asks for one credential of a bank, until it is not empty.
    ///
    /// - Parameter bank: the bank's name.
    /// - Throws: ``CommandFailure`` at the end of the input.
    package static func answer(for name: String, at bank: String) throws -> Secret {
        while let answer = asked(name, "Your \(name.replacing("_", with: " ")) at \(bank):") {
            guard answer.isEmpty else { return answer }
            Asking.say("nothing was typed; Ctrl-C ends it")
        }
        throw CommandFailure("no answer was given")
    }

    /// Asks for one credential. The user name is shown as it is typed, and every other one is not.
    ///
    /// - Returns: nil at the end of the input, or when the question is withdrawn.
    package static func asked(_ name: String, _ question: String, unless withdrawal: Withdrawal? = nil) -> Secret? {
        guard name == "username" else { return Asking.secret(question, unless: withdrawal) }
        return Asking.line(question, unless: withdrawal).map { Secret($0.trimmingCharacters(in: .whitespaces)) }
    }
}
