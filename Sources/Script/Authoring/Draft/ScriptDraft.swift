import BankScript
import Foundation

/// A first version of a script, drafted from a visit to the bank for a person to read and correct.
public struct ScriptDraft: Sendable {
    public var script: BankScript
    public var remarks: ScriptRemarks
    /// The recorded statement's month and year; empty when they were not recognised.
    public var parameters: [String: ParameterValue] = [:]

    package init(script: BankScript, remarks: ScriptRemarks, parameters: [String: ParameterValue] = [:]) {
        self.script = script
        self.remarks = remarks
        self.parameters = parameters
    }

    public var yaml: String { script.yaml(remarks: remarks) }

    /// Returns the draft if its YAML reads back as the same script: names in a file from elsewhere can be anything.
    ///
    /// - Throws: ``DraftError``.
    func checkedToReadBack() throws(DraftError) -> ScriptDraft {
        guard (try? BankScript(yaml: yaml, file: "draft.yaml"))?.digest == script.digest else {
            throw DraftError(
                message:
                    "a name in the file cannot be written into a script; look for an odd name of a field, a capture "
                    + "or a header, and correct it")
        }
        return self
    }

    /// A script to start from without a recording: the parts that most banks need, with remarks.
    public static let template = """
        # A bank script: what you would tell a friend, step by step. `countersign script lint FILE` checks it without a
        # network, `countersign script run FILE` runs it, `countersign script shell URL` lets you try steps one by one.
        bank: my-bank
        name: My Bank
        # The only origins that the script may contact. Paths belong to the first one.
        origins: [https://banking.my-bank.example]
        # The language of the bank's month names. The script asks the bank for this language.
        locale: en

        # Pages that may appear at any time, declared once.
        interruptions:
          - { when: { says: under maintenance }, fail: NAVIGATION_FAILED, reason: maintenance }
          - { when: { says: new terms and conditions }, fail: BANK_LOGIN_FAILED, reason: terms_to_accept }

        steps:
          - open: /login
          # Fields go by their labels. $username and $password come only from your phone's vault.
          - fill: { Username: $username, Password: $password }
          - press: Sign in
          # The page's notice after a wrong password: a CSS selector, or { says: some words }.
          - fail: { BANK_LOGIN_FAILED: .error, reason: wrong_credentials }

          # Leave this out if the bank asks for no code. A mistyped one does not end the run, up to three times.
          - second factor: { field: One-time code, from: [vault, person], within: 2 min, tries: 3 }
          - fail: { BANK_LOGIN_FAILED: .error, reason: wrong_code }

          # Links and buttons go by what they say.
          - follow: Statements
          # month and year are the requested ones; filters follow a dot or a bar: {{ month | pad: 2 }}.
          - choose: { Year: "{{ year }}" }
          - press: Show
          # Turns pages until a row matches. Later steps look inside that row.
          - search: { rows: "{{ month.name }} {{ year }}", next: Next, at most: 12 pages }
          - download: PDF

        # Runs at the end in any case.
        finally:
          - press: Sign out

        """
}

/// The reason why no script could be drafted.
public struct DraftError: Error, Sendable, CustomStringConvertible {
    public let message: String

    public var description: String { message }
}
