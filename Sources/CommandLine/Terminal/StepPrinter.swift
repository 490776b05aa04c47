import Automation
import Clocks
import Encodings
import Foundation
import Secrets
import Synchronization

/// Prints a run while it happens: one line per step, or one JSON event per line.
package struct StepPrinter: RunObserver {
    package let json: Bool
    package var indent = ""
    package var console = Console.standard
    private let failed = FailedStep()

    package init(json: Bool, indent: String = "", console: Console = .standard) {
        self.json = json
        self.indent = indent
        self.console = console
    }

    package func observe(_ event: RunEvent) {
        if json { return printJSON(event) }
        switch event {
        case .began, .stepBegan, .captured, .downloaded, .listedAccounts, .ended: break
        case .stepEnded(let place, let duration):
            console.line("\(indent)✓ \(line(place, duration))", .plain)
        case .stepFailed(let place, let failure, let duration):
            if !place.isFinally { failed.note(failure) }
            // Without a session there is nothing to sign out of.
            if place.isFinally, failed.isSignedOut || failure.saysSignedOut { return }
            console.line("\(indent)✗ \(line(place, duration))", .bad)
            if place.isFinally { console.line("\(indent)  \(failure.message)", .faint) }
        case .secondFactor(.answeredByVault): console.line("\(indent)  the vault answered", .faint)
        case .secondFactor(.answeredBy(let source)): console.line("\(indent)  \(source.rawValue) answered", .faint)
        case .secondFactor(.unanswered(let source, let reason)):
            console.line("\(indent)  \(source.rawValue) did not answer: \(reason)", .bad)
        case .secondFactor(.asked(let prompt)):
            console.line("\(indent)  \(prompt.bankName) asks: \(prompt.question)", .faint)
        case .secondFactor(.answered): break
        case .warned(let number, let words): console.line("\(indent)! step \(number): \(words)", .bad)
        }
    }

    private func line(_ place: StepPlace, _ duration: Duration) -> String {
        let number = String(place.number)
        let padding = String(repeating: " ", count: max(0, 2 - number.count) + place.depth * 2)
        return "\(padding)\(number)  \(place.words)  (\(duration.inWords))"
    }

    private func printJSON(_ event: RunEvent) {
        var members: [String: JSONValue]
        switch event {
        case .began(let script, let steps):
            members = ["event": "began", "script": .string(script.hex), "steps": .number(Double(steps))]
        case .stepBegan(let place): members = describe("step_began", place)
        case .stepEnded(let place, let duration):
            members = describe("step_ended", place)
            members["milliseconds"] = .number((duration.seconds * 1000).rounded())
        case .stepFailed(let place, let failure, let duration):
            members = describe("step_failed", place)
            members["milliseconds"] = .number((duration.seconds * 1000).rounded())
            members["error_code"] = .string(failure.code.rawValue)
            members["reason"] = failure.reason.map { .string($0.rawValue) } ?? .null
            members["message"] = .string(failure.message)
            members["bank_says"] = failure.bankWords.map(JSONValue.string)
            members["page"] = failure.page.map { ["url": .string($0.url), "title": .string($0.title)] }
            members["candidates"] = .array(failure.candidates.map(JSONValue.string))
        case .secondFactor(.answeredByVault): members = ["event": "second_factor", "by": "vault"]
        case .secondFactor(.answeredBy(let source)):
            members = ["event": "second_factor", "by": .string(source.rawValue)]
        case .secondFactor(.unanswered(let source, let reason)):
            members = [
                "event": "second_factor_unanswered", "by": .string(source.rawValue), "message": .string(reason),
            ]
        case .secondFactor(.asked(let prompt)):
            members = ["event": "second_factor", "by": "person", "question": .string(prompt.question)]
        case .secondFactor(.answered): members = ["event": "second_factor_answered"]
        case .captured(let name, let text):
            members = ["event": "captured", "name": .string(name), "text": .string(text)]
        case .listedAccounts(let accounts):
            members = [
                "event": "accounts", "aliases": .array(accounts.map { .string($0.alias.description) }),
            ]
        case .downloaded(let document):
            members = [
                "event": "downloaded", "kind": .string(document.kind.rawValue), "sha256": .string(document.sha256),
                "bytes": .number(Double(document.bytes)),
            ]
        case .warned(let number, let words):
            members = ["event": "warned", "step": .number(Double(number)), "message": .string(words)]
        case .ended(let duration):
            members = ["event": "ended", "milliseconds": .number((duration.seconds * 1000).rounded())]
        }
        console.line(JSONValue.object(members).compactText())
    }

    private func describe(_ event: String, _ place: StepPlace) -> [String: JSONValue] {
        [
            "event": .string(event), "step": .number(Double(place.number)), "words": .string(place.words),
            "finally": .bool(place.isFinally),
        ].merging(place.mark.map { ["file": .string($0.file), "line": .number(Double($0.line))] } ?? [:]) { $1 }
    }
}

/// Remembers whether a run failed before it was signed in.
private final class FailedStep: Sendable {
    private let isBeforeSession = Mutex(false)

    var isSignedOut: Bool { isBeforeSession.withLock { $0 } }

    func note(_ failure: RunFailure) {
        if failure.code == .bankLoginFailed || failure.code == .bankSecondFactorTimeout || failure.saysSignedOut {
            isBeforeSession.withLock { $0 = true }
        }
    }
}

extension RunFailure {
    /// The bank showed its sign-in page.
    fileprivate var saysSignedOut: Bool { reason == .wrongCredentials || reason == .sessionExpired }
}
