import Automation
import BankScript
import DefaultBank
import Foundation
import MockBank
import Secrets
import TestCases
import TestSupport
import Testing

@testable import ScriptCommands

@Suite("A trial of a sign-in")
struct SignInTrialTests {
    private static let credentials = [
        "username": Secret(MockBankConfiguration().username), "password": Secret(MockBankConfiguration().password),
    ]

    private func trial(at bank: MockBankServer) throws -> SignInTrial {
        try #require(SignInTrial(MeridianSavings.script.served(at: bank.url, isForTesting: true)))
    }

    @Test("signs in with a code, opens the first page behind it, and downloads nothing")
    func accepted() async throws {
        let bank = try await MockBankServer.start()
        let person = TestPerson(code: MockBankConfiguration().oneTimeCode)
        let outcome = try await trial(at: bank).perform(Self.credentials, person: person)
        #expect(outcome.isAcceptance, "\(outcome)")
        await bank.stop()
    }

    @Test("takes a list without the month for a page behind the sign-in")
    func missingMonth() async throws {
        let bank = try await MockBankServer.start()
        let steps =
            Array(MeridianSavings.script.steps) + Open("/statements").steps
            + Search(rows: "January 2099", next: "Next", atMost: 2).steps
        let script = BankScript(id: "early", name: "Bank", origins: [MeridianSavings.origin], steps: steps)
        let trial = try #require(SignInTrial(script.served(at: bank.url, isForTesting: true)))
        let person = TestPerson(code: MockBankConfiguration().oneTimeCode)
        let outcome = await trial.perform(Self.credentials, person: person)
        #expect(outcome.isAcceptance, "\(outcome)")
        await bank.stop()
    }

    @Test("says what the bank says of a wrong password, after one sign-in")
    func refused() async throws {
        let bank = try await MockBankServer.start()
        var credentials = Self.credentials
        credentials["password"] = Secret("a password that this bank does not know")
        let outcome = try await trial(at: bank).perform(credentials, person: TestPerson(code: "123456"))
        #expect(outcome.failure?.reason == .wrongCredentials, "\(outcome)")
        await bank.stop()
    }

    /// A script that does not look for the bank's words about a wrong password.
    private static func script(_ following: [Step]) -> BankScript {
        BankScript(
            id: "unaware", name: "Bank", origins: [MeridianSavings.origin],
            steps: Array(MeridianSavings.script.steps.prefix(4)) + following)
    }

    @Test(
        "never takes the login page for a page behind the sign-in, whatever the next step is",
        arguments: [
            Search(rows: "March 2026", next: "Next", atMost: 2).steps,
            Choose("Year", "2026").steps,
            Open("/statements").steps + Choose("Year", "2026").steps,
        ])
    func unaware(following: [Step]) async throws {
        let bank = try await MockBankServer.start()
        var credentials = Self.credentials
        credentials["password"] = Secret("a password that this bank never knew")
        let trial = try #require(SignInTrial(Self.script(following).served(at: bank.url, isForTesting: true)))
        let outcome = await trial.perform(credentials, person: TestPerson(code: "123456"))
        // Without a session the bank answers an address behind the sign-in with a notice of its end.
        #expect([.wrongCredentials, .sessionExpired].contains(outcome.failure?.reason), "\(outcome)")
        await bank.stop()
    }

    @Test("takes no link on the page for a refused code for a page behind the sign-in, and says that it was refused")
    func refusedCode() async throws {
        let bank = try await MockBankServer.start()
        let script = Self.script(
            SecondFactor("One-time code", from: .person, within: .minutes(2)).steps + Follow("Meridian Savings").steps)
        let trial = try #require(SignInTrial(script.served(at: bank.url, isForTesting: true)))
        let outcome = await trial.perform(Self.credentials, person: TestPerson(code: "654321"))
        #expect(outcome.failure?.isLastCodeRefused == true && outcome.failure?.refusedCodes == 1, "\(outcome)")
        #expect(outcome.failure?.hasSentCredentials == true)
        await bank.stop()
    }

    @Test("that reaches no bank has sent nothing")
    func unreached() async throws {
        let trial = try #require(
            SignInTrial(MeridianSavings.script.served(at: "http://127.0.0.1:1", isForTesting: true)))
        let outcome = await trial.perform(Self.credentials, person: TestPerson(code: "123456"))
        #expect(outcome.failure?.hasSentCredentials == false, "\(outcome)")
    }

    @Test("does not know the outcome when the script opens an address and then downloads")
    func unseen() async throws {
        let bank = try await MockBankServer.start()
        var credentials = Self.credentials
        credentials["password"] = Secret("a password that this bank never heard")
        let script = Self.script(Open("/statements").steps + Download("PDF").steps)
        let trial = try #require(SignInTrial(script.served(at: bank.url, isForTesting: true)))
        let outcome = await trial.perform(credentials, person: TestPerson(code: "123456"))
        #expect(!outcome.isAcceptance && outcome.failure == nil, "\(outcome)")
        await bank.stop()
    }

    @Test("is not possible with a script that does not sign in, or that never sends what it fills in")
    func impossible() {
        func script(_ steps: [Step]) -> BankScript {
            BankScript(id: "bank", name: "Bank", origins: ["https://bank.example"], steps: steps)
        }
        #expect(SignInTrial(script([Step(.open("/")), Step(.follow(.link("Statements")))])) == nil)
        #expect(
            SignInTrial(script([Step(.open("/")), Step(.fill(.field("Password"), .credential("password")))])) == nil)
    }
}

extension SignInTrial.Outcome {
    fileprivate var isAcceptance: Bool {
        if case .accepted = self { true } else { false }
    }

    fileprivate var failure: RunFailure? {
        if case .failed(let failure) = self { failure } else { nil }
    }
}
