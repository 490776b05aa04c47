import BankScript

public enum ExampleBank {
    public static let script = BankScript(
        "example", named: "Example Bank", at: "https://bank.example",
        interruptions: [
            Interruption(when: .titled("Maintenance"), fail: .navigationFailed, reason: .maintenance),
            Interruption(when: .titled("An offer for you")) { Follow("No, thank you") },
        ]
    ) {
        Open("/login")
        Fill("Username", with: .username)
        Fill("Password", with: .password)
        Press("Sign in")
        Fail(.bankLoginFailed, when: ".notice--error", reason: .wrongCredentials)

        SecondFactor("One-time code", from: .vault, within: .minutes(2))

        Follow("Statements")
        Choose("Year", "{{ year }}")
        Press("Show")
        Search(rows: "{{ month.name }} {{ year }}", next: "Next", atMost: 12)
        Download("PDF")
    } finally: {
        Press("Sign out")
    }
}
