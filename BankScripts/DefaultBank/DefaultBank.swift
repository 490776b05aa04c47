import BankScript

/// Meridian Savings, the one bank that ships with Countersign.
public enum DefaultBank {
    /// Where the bank is.
    public static let origin = "https://banking.meridian-savings.example"

    /// The script. `served(at:isForTesting:)` points it at another host, such as the bundled mock bank.
    public static let script = BankScript("default", named: "Meridian Savings", at: origin) {
        Open("/login")
        Fill("Username", with: .username)
        Fill("Password", with: .password)
        Press("Sign in")
        Fail(.bankLoginFailed, when: ".notice--error", reason: .wrongCredentials)

        SecondFactor("One-time code", from: .vault, .person, within: .minutes(2))
        Fail(.bankLoginFailed, when: ".notice--error", reason: .wrongCode)

        Follow("Statements")
        Choose("Year", "{{ year }}")
        Press("Show")
        Search(rows: "{{ month.name }} {{ year }}", next: "Next", atMost: 12)
        Download("PDF")
    } finally: {
        Press("Sign out")
    }
}
