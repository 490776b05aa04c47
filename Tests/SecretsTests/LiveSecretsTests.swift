import Secrets
import Testing

@Suite("The secrets that are alive")
struct LiveSecretsTests {
    @Test("are known to the redactor from their first moment to their last")
    func lifetimes() {
        let text = "before first-of-two-secrets, then second-of-two-secrets"
        #expect(Redactor.redact(text) == text)
        let first = Secret("first-of-two-secrets")
        #expect(Redactor.redact(text) == "before •••, then second-of-two-secrets")
        do {
            let second = Secret("second-of-two-secrets")
            #expect(Redactor.redact(text) == "before •••, then •••")
            withExtendedLifetime(second) {}
        }
        #expect(Redactor.redact(text) == "before •••, then second-of-two-secrets")
        first.wipe()
        #expect(Redactor.redact(text) == text)
    }

    @Test(
        "are found wherever they stand",
        arguments: ["", "a", "aab", "\u{0}", "é", "aaaa", "\u{0}aab-a", "ab-aab-aa"], ["", "z", "é", "\u{0}", "aab-"])
    func places(before: String, after: String) {
        let secret = Secret("aab-aab-aab")
        let text = before + secret.revealed() + after
        #expect(!Redactor.redact(text).contains("aab-aab-aab"), "\(text)")
        #expect(Redactor.redact(before + after) == before + after)
    }

    @Test("may come and go while others are redacted")
    func together() async {
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    for round in 0..<50 {
                        let secret = Secret("secret-\(worker)-\(round)-of-many")
                        #expect(Redactor.redact("x \(secret.revealed()) y") == "x ••• y")
                    }
                }
            }
        }
    }
}
