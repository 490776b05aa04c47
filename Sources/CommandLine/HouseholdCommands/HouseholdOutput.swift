import Encodings
import Secrets
import Terminal

/// What `countersign up` prints: a sentence for each event, or one JSON object per line.
struct HouseholdOutput: Sendable {
    let json: Bool

    func report(_ event: String, _ text: String) {
        guard json else { return Console.standard.paragraph(text) }
        let line: JSONValue = ["event": .string(event), "message": .string(text)]
        Console.standard.line(line.compactText())
    }

    /// Prints a sentence, and below it the words that a person compares.
    func report(_ event: String, _ text: String, comparing words: String) {
        guard !json else { return report(event, "\(text) \(words)") }
        Console.standard.paragraph(text)
        Console.standard.line("    \(words)", .bold)
    }

    /// Prints a secret that this terminal's owner needs.
    func disclose(_ event: String, _ secret: Secret, _ text: String) {
        guard json else { return Console.standard.disclose("\(text)\(secret.revealed())\n") }
        let line: JSONValue = ["event": .string(event), event: .string(secret.revealed())]
        Console.standard.disclose(line.compactText() + "\n")
    }
}
