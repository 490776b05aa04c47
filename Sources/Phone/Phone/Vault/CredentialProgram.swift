import Automation
import Encodings
import Foundation
import Machine
import PhoneStore
import Secrets

/// A program of the owner's that prints a credential, such as that of a password manager.
///
///     let password = try await CredentialProgram(["/usr/bin/pass", "show", "banks/meridian"])
///         .credential(named: "password", ofBank: "meridian")
///
/// The vault keeps the command, sealed like a credential, so that no file can replace it. It runs after the approval, as the
/// user of the phone, once in a visit; what it prints is kept in memory until the visit's end, and nowhere else.
package struct CredentialProgram: Sendable, Hashable {
    /// The program's full path, then its arguments.
    package let command: [String]

    /// Enough for a person who unlocks their password manager.
    static let limit: Duration = .seconds(60)
    /// The most that the program may print, in bytes: a note may follow the credential.
    static let mostBytes = 64 << 10
    private static let mostWords = 64
    /// The time for which it is still read when it has ended, and a process that it has started has its output open.
    private static let grace: Duration = .milliseconds(500)

    /// - Throws: ``PhoneError`` unless the first word is the full path of a program, and the others are texts of one line.
    package init(_ command: [String]) throws(PhoneError) {
        guard let program = command.first, program.hasPrefix("/") else {
            throw PhoneError(.invalidSetting, "name the program with its full path, such as /usr/bin/pass")
        }
        guard command.count <= Self.mostWords,
            command.allSatisfy({ $0.utf8.count <= 4096 && $0.inLine(limit: .max) == $0 })
        else {
            throw PhoneError(
                .invalidSetting,
                "the command of \(program.inLine(limit: 60)) has more than \(Self.mostWords) words, or one that is not a line of text"
            )
        }
        self.command = command
    }

    /// The program as messages that leave the phone, and its page, name it: without its folder and its arguments, which are the
    /// owner's alone.
    var name: String { URL(filePath: command[0]).lastPathComponent }

    // MARK: In the vault

    static func entry(_ name: String, _ bankID: String) -> String { "program/\(bankID)/\(name)" }

    /// - Throws: ``PhoneError`` when the entry is not one that ``sealed`` made.
    init(sealed: Secret) throws {
        let json = try? sealed.withUnsafeBytes { try JSONReader.read(Array($0)) }
        guard let words = json?["command"]?.arrayValue else { throw Self.damaged }
        try self.init(
            words.map { word in
                guard let text = word.stringValue else { throw Self.damaged }
                return text
            })
    }

    /// The entry. It reads otherwise than a list of the words: while it is in memory, its own text is masked wherever it is printed.
    var sealed: Secret {
        Secret(JSONValue.object(["command": .array(command.map(JSONValue.string))]).compactText())
    }

    private static var damaged: PhoneError {
        PhoneError(
            .invalidSetting,
            "the vault's entry for a program is damaged; set it again with countersign phone banks program BANK CREDENTIAL"
        )
    }

    // MARK: A use

    /// Runs the program, and returns the first line that it prints.
    ///
    /// - Parameter name: the credential's name, for messages.
    /// - Throws: ``RunFailure`` with the code `CREDENTIAL_UNAVAILABLE` when it cannot be started, fails, takes too long, or prints
    ///   nothing that can be a credential. None of it says anything about the bank, or about the script.
    package func credential(
        named name: String, ofBank bankID: String, within limit: Duration = Self.limit,
        variables: [String: String] = ProcessInfo.processInfo.environment
    ) async throws -> Secret {
        let program: RunningProgram
        do {
            program = try RunningProgram(
                command, environment: Self.passed(of: variables), leadsGroup: true, limit: limit)
        } catch {
            throw failure(name, bankID, "could not be started: \(String(cString: strerror(error.code)))")
        }
        var (printed, end) = try await withTaskCancellationHandler {
            try await BlockingWork.run {
                (
                    program.output(atMost: Self.mostBytes + 1, noLongerThanItRunsAnd: Self.grace), program.end()
                )
            }
        } onCancel: {
            program.kill()
        }
        defer { printed.wipe() }
        try Task.checkCancellation()
        guard !program.wasTooSlow else {
            throw failure(
                name, bankID, "gave no answer within \(limit.components.seconds) s; unlock it, and ask again",
                isLocked: true)
        }
        guard printed.count <= Self.mostBytes else {
            throw failure(name, bankID, "printed more than \(Self.mostBytes >> 10) KiB")
        }
        guard end == .exited(0) else {
            throw failure(
                name, bankID, "ended with status \(end.status); unlock it and ask again, or run it by hand to see why",
                isLocked: true)
        }
        var line = Array(printed.prefix { $0 != UInt8(ascii: "\n") })
        defer { line.wipe() }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        guard !line.isEmpty else { throw failure(name, bankID, "printed no first line") }
        guard CredentialVault.isLine(line) else {
            throw failure(name, bankID, "printed something else than a line of text")
        }
        return Secret(bytes: line)
    }

    /// - Parameter isLocked: the problem is what a locked password manager looks like.
    private func failure(
        _ credential: String, _ bankID: String, _ problem: String, isLocked: Bool = false
    ) -> RunFailure {
        RunFailure(
            .credentialUnavailable,
            message: (isLocked ? "your password manager may be locked: " : "")
                + "the program “\(name)”, which gives the \(credential.replacing("_", with: " ")) of \(bankID), \(problem)"
        )
    }

    // MARK: Variables

    /// Returns the variables by which password managers find their store, their session and their agent. Those of Countersign,
    /// and all others, stay here.
    static func passed(of variables: [String: String]) -> [String: String] {
        variables.filter { name, _ in names.contains(name) || beginnings.contains { name.hasPrefix($0) } }
    }

    private static let names: Set<String> = [
        "PATH", "HOME", "USER", "LOGNAME", "LANG", "GNUPGHOME", "SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS", "DISPLAY",
        "WAYLAND_DISPLAY", "XAUTHORITY",
    ]
    private static let beginnings = [
        "LC_", "XDG_", "PASSWORD_STORE_", "GOPASS_", "RBW_", "OP_", "BW_", "BITWARDENCLI_",
    ]
}
