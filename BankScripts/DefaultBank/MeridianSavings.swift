import BankScript

extension BankScript {
    /// True for the script that ships, whose bank does not exist. Another script with its id is another bank's.
    package var isOfFictitiousBank: Bool {
        id == MeridianSavings.bankID && digest == MeridianSavings.script.digest
    }
}

/// Meridian Savings, the bank that ships with Countersign.
package enum MeridianSavings {
    /// The id of the bank that ships, which does not exist.
    package static let bankID = "default"
    /// The bank's origin.
    package static let origin = "https://banking.meridian-savings.example"

    /// The script. Use `served(at:isForTesting:)` to run it against another host, such as the bundled mock bank.
    package static let script = BankScript(
        bankID, named: "Meridian Savings", at: origin, interruptions: interruptions
    ) {
        Open("/login")
        Fill("Username", with: .username)
        Fill("Password", with: .password)
        Press("Sign in")
        Fail(.bankLoginFailed, when: ".notice--error", reason: .wrongCredentials)

        When(.titled("Approve in the app")) {
            SecondFactor(untilNot: .titled("Approve in the app"), within: .minutes(2))
        } otherwise: {
            SecondFactor("One-time code", from: .vault, .person, tries: 3, within: .minutes(2))
            Fail(.bankLoginFailed, when: ".notice--error", reason: .wrongCode)
        }
    } forEachPeriod: {
        Follow("Statements")
        Choose("Year", "{{ year }}")
        Press("Show")
        Search(rows: "{{ month.name }} {{ year }}", next: "Next", atMost: 12)
        Download("PDF")
    } finally: {
        Press("Sign out")
    }

    /// Pages that the bank may show after any step.
    private static let interruptions = [
        Interruption(when: .titled("Maintenance"), fail: .navigationFailed, reason: .maintenance),
        Interruption(when: .titled("Account locked"), fail: .bankLoginFailed, reason: .accountLocked),
        Interruption(when: .titled("Password expired"), fail: .bankLoginFailed, reason: .passwordChangeRequired),
        Interruption(when: .titled("New terms"), fail: .bankLoginFailed, reason: .termsToAccept),
        Interruption(when: .titled("Security question"), fail: .bankLoginFailed, reason: .extraIdentification),
        Interruption(when: .says("Your session has ended"), fail: .navigationFailed, reason: .sessionExpired),
        Interruption(when: .titled("An offer for you")) { Follow("No, thank you") },
    ]
}
