import Automation
import BankScript
import Foundation
import Phone
import Terminal

/// The acceptance of a script by a person who has read what it does.
package struct ScriptAcceptance {
    package let script: BankScript
    /// The phone that shall run it.
    package let home: PhoneHome
    private let accepted: AcceptedScripts
    private let digest: String?
    private let vouchPlace: VouchPlace

    /// The place of the vouches for the script.
    package enum VouchPlace: Sendable {
        /// The file beside the script's own.
        case besideScript
        /// Their text; nil without any, as for a script that was pasted.
        case given(String?)
    }

    /// - Parameters:
    ///   - home: the folder of the phone that shall run the script.
    ///   - digest: the script's digest, or its first twelve or more digits, in place of a question; nil to ask.
    package init(
        of script: BankScript, home: URL, digest: String? = nil, vouches: VouchPlace = .besideScript
    ) {
        (self.script, self.home, accepted, self.digest) = (script, PhoneHome(home), AcceptedScripts(home: home), digest)
        vouchPlace = vouches
    }

    /// True when exactly this version is accepted already.
    ///
    /// - Throws: ``CommandFailure`` when the list of accepted scripts cannot be read.
    package var isGiven: Bool {
        get throws {
            do {
                return try accepted.digests().contains(script.digest)
            } catch {
                throw CommandFailure(error.message)
            }
        }
    }

    /// Accepts the script if this person has accepted it for a phone in another folder where none was set up. There it is not
    /// accepted any more: what is taken back later stays taken back.
    package func takeOver(from folder: URL) throws {
        let other = AcceptedScripts(home: folder)
        // A list that cannot be read accepts nothing.
        guard other.file != accepted.file, !PhoneHome(folder).vault.exists,
            (try? other.digests())?.contains(script.digest) == true
        else { return }
        do {
            try accepted.accept(script)
            _ = try other.revoke(digest: script.digest.hex)
        } catch {
            throw CommandFailure(error.message)
        }
    }

    /// Shows what the script does and what has changed, asks, and records the answer, in the audit log too.
    ///
    /// - Parameter keepsOthers: leaves the bank's earlier versions accepted.
    /// - Throws: ``CommandFailure`` when the person does not agree, or cannot be asked.
    package func perform(keepingOthers keepsOthers: Bool = false) async throws {
        // A digest that is too short is refused before a screen of text is shown.
        if let digest { try ScriptDigest.checkLength(of: digest) }
        show(try lines)
        try checkVouches()
        guard try isMeant() else { throw CommandFailure("the script was not accepted") }
        let retired = try await accept(keepingOthers: keepsOthers)
        Console.standard.line("Accepted: \(script.name.inLine()), \(script.digest.short)")
        for version in retired {
            Console.standard.line("Not accepted any more: \(version.name.inLine()), \(version.digest.short)")
        }
        if home.isPageOpen {
            Console.standard.paragraph(
                "The phone runs, and has read its scripts when it started. To use this one, stop it and start it again: "
                    + "countersign up --stop, then countersign up")
        }
    }

    /// Everything that a person reads before they accept the script. Only the question's own words are this program's.
    ///
    /// - Throws: ``CommandFailure`` for a policy, a file of vouches or a list of accepted scripts that cannot be read.
    package var lines: [StyledLine] {
        get throws {
            try AcceptanceDescription(of: script, after: previous()).lines
                + ScriptImitation(of: script, accepted: all()).lines + vouches.lines
        }
    }

    /// - Throws: ``CommandFailure`` when the policy demands more vouches than there are.
    package func checkVouches() throws { try vouches.check() }

    /// Accepts the script for a person who has read ``lines`` and said yes, and records it in the audit log.
    ///
    /// - Returns: the versions that are not accepted any more.
    /// - Throws: ``CommandFailure``, also when the policy demands more vouches than there are.
    @discardableResult
    package func accept(keepingOthers keepsOthers: Bool = false) async throws -> [AcceptedScripts.Acceptance] {
        try checkVouches()
        let retired: [AcceptedScripts.Acceptance]
        do {
            retired = try accepted.accept(script, keepingOthers: keepsOthers)
        } catch {
            throw CommandFailure(error.message)
        }
        try await home.recordAcceptance(of: script, retiring: retired)
        return retired
    }

    private var vouches: ScriptVouches {
        get throws {
            switch vouchPlace {
            case .besideScript: try ScriptVouches(of: script, home: home)
            case .given(let text): try ScriptVouches(of: script, home: home, text: text)
            }
        }
    }

    private func all() throws -> [AcceptedScripts.Acceptance] {
        do {
            return try accepted.all()
        } catch {
            throw CommandFailure(error.message)
        }
    }

    private func previous() throws -> AcceptedScripts.Acceptance? {
        do {
            return try accepted.previous(to: script)
        } catch {
            throw CommandFailure(error.message)
        }
    }

    /// Prints the description. Where it is longer than the screen, its last line says so.
    private func show(_ description: [StyledLine]) {
        let console = Console.standard
        guard let screen = Screen.ofOutput else { return console.show(description) }
        let rows = description.flatMap { line in screen.rows(of: line.text).map { StyledLine($0, line.style) } }
        console.show(rows)
        // The question has at least one row.
        guard digest == nil, rows.count >= screen.rows else { return }
        console.line(
            "\(rows.count) lines stand above, but your screen has \(screen.rows): scroll up to read from the first.",
            .bad)
    }

    private func isMeant() throws -> Bool {
        guard let digest else {
            guard Asking.isPossible else {
                throw CommandFailure(
                    "without a terminal, give --digest \(script.digest.short) if that is the script you read",
                    status: 2)
            }
            return Asking.yes(AcceptanceQuestion(script).description)
        }
        try script.digest.checkIsMeant(by: digest)
        return true
    }
}
