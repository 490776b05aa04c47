import BankScript
import Foundation

/// A first version of a script, drafted from a visit to the bank for a person to read and correct.
public struct ScriptDraft: Sendable {
    public var script: BankScript
    public var remarks: ScriptRemarks

    public var yaml: String { script.yaml(remarks: remarks) }

    /// A script to start from without a recording: the parts that most banks need, with remarks.
    public static let template = """
        # A bank script: what you would tell a friend, step by step. `countersign script lint FILE` checks it without a
        # network, `countersign script run FILE` runs it, `countersign script shell URL` lets you try steps one by one.
        bank: my-bank
        name: My Bank
        # The only origins that the script may speak to. Paths are looked for on the first one.
        origins: [https://banking.my-bank.example]
        # The language of the bank’s month names, and the one that it is asked for.
        locale: en

        # Pages that may come up at any time, declared once.
        interruptions:
          - { when: { says: under maintenance }, fail: NAVIGATION_FAILED, reason: maintenance }
          - { when: { says: new terms and conditions }, fail: BANK_LOGIN_FAILED, reason: terms_to_accept }

        steps:
          - open: /login
          # Fields go by their labels. $username and $password come from your phone’s vault, and from nowhere else.
          - fill: { Username: $username, Password: $password }
          - press: Sign in
          # What the page shows when the password was wrong: a CSS selector, or { says: some words }.
          - fail: { BANK_LOGIN_FAILED: .error, reason: wrong_credentials }

          # Leave it out if the bank asks for no code.
          - second factor: { field: One-time code, from: [vault, person], within: 2 min }
          - fail: { BANK_LOGIN_FAILED: .error, reason: wrong_code }

          # Links and buttons go by what they say.
          - follow: Statements
          # month and year are what was asked for; filters follow a dot or a bar: {{ month | pad: 2 }}.
          - choose: { Year: "{{ year }}" }
          - press: Show
          # Turns pages until a row says so. What comes after is looked for inside that row.
          - search: { rows: "{{ month.name }} {{ year }}", next: Next, at most: 12 pages }
          - download: PDF

        # Runs on every way out.
        finally:
          - press: Sign out

        """
}

/// The reason why no script could be drafted.
public struct DraftError: Error, Sendable, CustomStringConvertible {
    public let message: String

    public var description: String { message }
}
