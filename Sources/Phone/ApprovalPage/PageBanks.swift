import Automation
import BankScript
import Foundation
import Phone
import Secrets

/// The place of a script that a bank is added with.
package enum ScriptSource: Sendable, Hashable {
    /// A text that the owner has pasted, or read from a file.
    case text(String)
    /// A script that is at hand, by its key.
    case atHand(String)
}

/// A script that can be chosen without a file.
package struct ScriptAtHand: Sendable {
    package enum Kind: Sendable {
        case ready
        case inFolder
        case pluggedIn
        case collected(in: String)
    }

    /// Names the script to ``PageBanks/read(_:)``.
    package let key: String
    /// The author's words, as the name is.
    package let bankID: String
    package let name: String
    package let kind: Kind

    package init(key: String, bankID: String, name: String, kind: Kind) {
        self.key = key
        self.bankID = bankID
        self.name = name
        self.kind = kind
    }
}

/// The scripts that can be chosen without a file.
package struct ScriptsAtHand: Sendable {
    package let scripts: [ScriptAtHand]
    /// The names of the collections whose scripts are not on this machine.
    package let distantCollections: [String]

    package init(scripts: [ScriptAtHand], distantCollections: [String]) {
        self.scripts = scripts
        self.distantCollections = distantCollections
    }
}

/// A script that was read, with all that its owner reads before they accept it.
package struct ReadScript: Sendable {
    /// One line of it, in which a stranger's text begins no other line.
    package struct Line: Sendable {
        /// The name is the line's class in the style sheet.
        package enum Weight: String, Sendable { case plain, strong, faint, good, bad }

        package let text: String
        package let weight: Weight
        /// True for the heading of the values that leave, which the page says in its own language.
        package let isAboveValues: Bool

        package init(_ text: String, _ weight: Weight = .plain, isAboveValues: Bool = false) {
            self.text = text
            self.weight = weight
            self.isAboveValues = isAboveValues
        }
    }

    package let source: ScriptSource
    package let script: BankScript
    package let lines: [Line]
    /// The things that a person does at a ready bank before they have its credentials.
    package let preparations: [String]
    /// True for a script that needs no acceptance.
    package let isPluggedIn: Bool
    /// True where a test login can be made and its refusals counted.
    package let offersTestLogin: Bool
    /// True where the vault's passphrase lies in a file, as a trial's does.
    package let isInTrial: Bool

    package init(
        source: ScriptSource, script: BankScript, lines: [Line], preparations: [String] = [], isPluggedIn: Bool = false,
        offersTestLogin: Bool = false, isInTrial: Bool = false
    ) {
        self.source = source
        self.script = script
        self.lines = lines
        self.preparations = preparations
        self.isPluggedIn = isPluggedIn
        self.offersTestLogin = offersTestLogin
        self.isInTrial = isInTrial
    }
}

/// The reason why a script cannot be read or used.
package enum ScriptRefusal: Error, Hashable {
    /// A script for testing, of a bank with this name.
    case forTesting(String)
    /// The folder has another script for the bank, in a file with this path.
    case another(bankID: String, bank: String, file: String)
    /// The script is not the one any more that the owner has read. Nothing was accepted or sent.
    case changed
    /// Another script took its place after it was accepted, and after the credentials were sent once if there was a sign-in.
    case changedLater(signedIn: Bool)
    /// In the words of the program, over several lines, with the place in the text.
    case told(String)
    /// Something else than the script cannot be read or written, in the words of the program.
    case hindered(String)
    /// The phone could not keep what the bank refused or may have refused, so the credentials were removed again.
    case uncounted(String)
}

/// The state of new credentials that were stored.
package enum StoredCredentials: Sendable, Hashable {
    /// No sign-in was made.
    case untried
    case accepted
    /// No step of the script looked at a page behind the sign-in.
    case unseen
    /// The sign-in ended before the bank had accepted or refused it, for a reason in the program's words; `asksAgain` when the
    /// phone asks before it sends the credentials again.
    case unanswered(String, asksAgain: Bool)
    /// The bank refused the one-time code, and nothing else.
    case codeRefused
}

/// A bank that was added.
package struct AddedBank: Sendable, Hashable {
    package let stored: StoredCredentials
    /// The failure that came after the credentials were stored, in the words of the program; nil for none.
    package let warning: String?

    package init(_ stored: StoredCredentials, warning: String? = nil) {
        self.stored = stored
        self.warning = warning
    }
}

/// The script of a bank that was added, as the phone can use it now.
package enum ServedBank: Sendable {
    /// - Parameter digest: the one under which it was accepted; nil for a script that is plugged in.
    case served(BankScript, acceptedAs: ScriptDigest?)
    /// The phone cannot use it now, for a reason in the words of the program; nil where a restart is all that it needs.
    case unused(String?)
}

/// The reason why new credentials were not stored.
package enum CredentialsRefusal: Error, Hashable {
    /// The bank refused them, perhaps in its own words.
    case refused(bankWords: String?)
    /// The bank lets the customer in only after something was done on its own pages.
    case notLetIn(String, bankWords: String?)
    /// The bank has refused exactly these before. They were not sent.
    case refusedBefore
    /// The bank refused so many codes in a row.
    case codesRefused(Int)
    /// One more code could lock the account. Nothing was sent.
    case noMoreCodes(Int)
    /// One more sign-in could lock the account before a time. Nothing was sent.
    case tooManyLogins(Int, until: Date)
}

/// The scripts of a phone's banks, to which the page adds one.
package protocol PageBanks: Sendable {
    /// - Parameter stored: the banks whose credentials the phone has; none of them is among the scripts.
    /// - Throws: ``ScriptRefusal`` when the folder cannot be read.
    func scriptsAtHand(besides stored: Set<String>) async throws -> ScriptsAtHand

    /// Reads a script. Nothing is accepted or kept.
    ///
    /// - Throws: ``ScriptRefusal``.
    func read(_ source: ScriptSource) async throws -> ReadScript

    /// Adds a bank: has the vault vouch for its script and accepts it, tries the credentials, and keeps both.
    ///
    /// An acceptance stays when the bank refuses the credentials, because it was recorded before they were sent. A script that did
    /// not lie in the folder before is then not there, so that no phone runs it; one that did, has no credentials.
    ///
    /// - Parameters:
    ///   - read: as the owner has read it.
    ///   - stored: the open vault.
    ///   - person: answers the bank's questions in a test login; nil to store the credentials untried.
    /// - Throws: ``ScriptRefusal``, also for a script that is not the one that was read any more; ``CredentialsRefusal``;
    ///   `CancellationError` when the task was cancelled before the credentials were stored. After each, no credentials are stored.
    func add(
        _ read: ReadScript, _ credentials: [String: Secret], to stored: CredentialVault,
        tryingWith person: (any HumanPrompt)?
    ) async throws -> AddedBank

    /// Returns the script of a bank that was added, as the phone can use it now.
    func served(_ read: ReadScript) async -> ServedBank

    /// Forgets the credentials that banks have refused: their owner has signed out, or the page ends.
    func forgetRefusedCredentials()
}
