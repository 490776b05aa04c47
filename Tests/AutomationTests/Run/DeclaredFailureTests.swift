import BankScript
import Foundation
import Messages
import TestSupport
import Testing

@testable import Automation

@Suite("A failure that a script declares")
struct DeclaredFailureTests {
    private static func script(_ credentials: String = "[username, password]") throws -> BankScript {
        try BankScript(
            yaml: "bank: staged\nname: Staged Bank\norigins: [https://bank.example]\ncredentials: \(credentials)\n"
                + "steps:\n  - open: /\n  - download: PDF\n", file: "staged.yaml")
    }

    @Test(
        "has words and a next step for each code and reason; the end of a consent gets its own",
        arguments: ErrorCode.runFailures)
    func every(code: ErrorCode) throws {
        let script = try Self.script()
        for reason in [nil] + FailureReason.allCases.map(Optional.some) {
            let declared = DeclaredFailure(code, reason)
            #expect(!declared.words(of: script).isEmpty)
            let isConsent = reason == .consentEnded || (reason == nil && code == .consentEnded)
            #expect((declared.nextStep(at: script) == nil) == isConsent, "\(code) \(String(describing: reason))")
        }
    }

    @Test(
        "names what was refused, and how other credentials are stored",
        arguments: [
            ("[username, password]", "did not accept username or password"),
            ("[token, query_id]", "did not accept the token or the query id"), ("[token]", "did not accept the token"),
        ])
    func credentials(names: String, words: String) throws {
        let script = try Self.script(names)
        let declared = DeclaredFailure(.bankLoginFailed, .wrongCredentials)
        #expect(declared.words(of: script) == words)
        #expect(declared.nextStep(at: script)?.contains("countersign phone banks change staged") == true)
        #expect(declared.nextStep(at: script)?.contains("on the page, under Banks") == true, "the page runs then")
    }

    /// The failures that the scripts of this repository declare.
    private static var readyBanks: [String] {
        ["DefaultBank/meridian-savings"]
            + [
                "EnableBanking/enable-banking", "InteractiveBrokers/interactive-brokers", "Monzo/monzo",
                "SimpleFIN/simplefin",
            ]
            + ["Starling/starling", "Up/up"]
    }

    @Test("of a ready bank says what the owner can do, within the length that a report has", arguments: readyBanks)
    func readyBank(name: String) throws {
        let place = Repository.file("BankScripts/\(name).yaml")
        let script = try BankScript(yaml: String(contentsOf: place, encoding: .utf8), file: place.lastPathComponent)
        let steps = script.stepsForOnePeriod.allActions.compactMap { action -> DeclaredFailure? in
            guard let fail = action.as(FailStep.self) else { return nil }
            return DeclaredFailure(fail.code, fail.reason)
        }
        let interruptions = script.interruptions.compactMap { interruption -> DeclaredFailure? in
            guard case .fail(let code, let reason) = interruption.response else { return nil }
            return DeclaredFailure(code, reason)
        }
        for declared in steps + interruptions {
            let words = "\(script.name) \(declared.words(of: script)); \(declared.nextStep(at: script) ?? "")"
            #expect(words.count <= 200 && !words.contains("a page that ends the run"), "\(words)")
        }
    }
}
