import Automation
import BankScript
import Foundation
import Secrets
import Testing

@Suite("Sources of codes that are plugged in", .timeLimit(.minutes(3)))
struct PluggedCodeSourceTests {
    private struct Broken: Error, CustomStringConvertible {
        var description: String { "the gateway's port is closed" }
    }

    private struct Source: SecondFactorProvider {
        let answer: @Sendable (SecondFactorChallenge) async throws -> Secret?

        func code(for challenge: SecondFactorChallenge) async throws -> Secret? { try await answer(challenge) }
    }

    /// A bank that shows its document to one who sends the right code.
    private static func bank() -> StagedBank {
        StagedBank { line, body in
            switch line {
            case "GET /":
                .page("<form method=post action=/tan><label>TAN<input name=tan></label><button>Send</button></form>")
            case "GET /1.pdf": .pdf()
            default: .page(body == "tan=right-code-91" ? "<p>Welcome" : "<p class=error>That is not right.")
            }
        }
    }

    private static func script(from sources: String, within limit: String) -> String {
        """
        steps:
          - open: /
          - second factor: { field: TAN, from: [\(sources)], within: \(limit) }
          - fail: { BANK_LOGIN_FAILED: .error, reason: wrong_code }
          - download: { open: /1.pdf }
        """
    }

    private static func run(
        from sources: String, within limit: String = "1 min", person: String? = "right-code-91",
        _ answer: (@Sendable (SecondFactorChallenge) async throws -> Secret?)?
    ) async throws -> StagedRun {
        var plugged: [SecondFactorStep.Source: any SecondFactorProvider] = [:]
        if let answer, let name = SecondFactorStep.Source(rawValue: "gateway") {
            plugged[name] = Source(answer: answer)
        }
        return try await StagedRun.perform(
            script(from: sources, within: limit), at: bank(), code: person, codeSources: plugged)
    }

    @Test("answers without the person, and learns the bank's name alone")
    func answers() async throws {
        let run = try await Self.run(from: "gateway, person", person: nil) { challenge in
            #expect(challenge.bankID == "staged" && challenge.bankName == "Staged Bank" && challenge.token == nil)
            return Secret("right-code-91")
        }
        #expect(run.failure == nil && run.document != nil && run.prompts.isEmpty)
    }

    @Test(
        "one that gives no code leaves the question to the next source",
        arguments: ["throws", "nil", "empty", "a novel", "two lines"])
    func goesOn(_ kind: String) async throws {
        let run = try await Self.run(from: "gateway, person") { _ in
            switch kind {
            case "throws": throw Broken()
            case "nil": return nil
            case "empty": return Secret("")
            case "a novel": return Secret(String(repeating: "right-code-91 ", count: 100))
            default: return Secret("right-code-91\nEvil: header")
            }
        }
        #expect(run.failure == nil && run.document != nil)
        #expect(run.prompts.count == 1)
    }

    @Test("one that hangs, and does not heed its cancellation, leaves the next source half of the time")
    func hangs() async throws {
        // The stage's clock does not wait for ten seconds or less.
        let run = try await Self.run(from: "gateway, person", within: "20 s") { _ in
            await withUnsafeContinuation { (_: UnsafeContinuation<Secret?, Never>) in }
        }
        #expect(run.failure == nil && run.prompts.count == 1)
    }

    @Test("without another source, the failure names the one that gave no code")
    func names() async throws {
        let broken = try await Self.run(from: "gateway") { _ in throw Broken() }
        #expect(broken.failure?.code == .bankSecondFactorTimeout)
        #expect(
            broken.failure?.message.contains("no code came from gateway") == true, "\(broken.failure?.message ?? "")")
        let missing = try await Self.run(from: "gateway", nil)
        #expect(missing.failure?.message.contains("no code came from gateway") == true)
    }
}
