import Automation
import BankScript
import DefaultBank
import Foundation
import MockBank
import Secrets
import TestServices
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
        let failure = try await trial(at: bank).perform(Self.credentials, person: person)
        #expect(failure == nil, "\(String(describing: failure))")
        await bank.stop()
    }

    @Test("says what the bank says of a wrong password, after one sign-in")
    func refused() async throws {
        let bank = try await MockBankServer.start()
        var credentials = Self.credentials
        credentials["password"] = Secret("a password that this bank does not know")
        let failure = try await trial(at: bank).perform(credentials, person: TestPerson(code: "123456"))
        #expect(failure?.reason == .wrongCredentials, "\(String(describing: failure))")
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
