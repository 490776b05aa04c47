import Automation
import BankScript
import Encodings
import Foundation
import TestParties
import Testing

@testable import Phone

@Suite("The scripts that a phone serves", .timeLimit(.minutes(1)))
struct ServedScriptsTests {
    private static func script(_ id: String) -> BankScript {
        BankScript(id, named: "The bank \(id)", at: "https://\(id).example") {
            Open("/login")
            Download("PDF")
        }
    }

    private static func ids(_ services: PhoneServices) -> [String] { services.scripts.all.map(\.id) }

    @Test("are shared by copies of the services, until one of them gets scripts of its own")
    func shared() async throws {
        try await TestPhone.with { phone in
            let first = phone.services(Self.script("one"))
            var second = first
            first.served.replace(with: ScriptRegistry([Self.script("two")]))
            #expect(Self.ids(first) == ["two"] && Self.ids(second) == ["two"])
            second.scripts = ScriptRegistry([Self.script("three")])
            #expect(Self.ids(first) == ["two"] && Self.ids(second) == ["three"])
            first.served.replace(with: ScriptRegistry([]))
            #expect(Self.ids(first).isEmpty && Self.ids(second) == ["three"])
        }
    }

    @Test("stay as they are served when one more is added, and it is served in place of what its bank had")
    func added() async throws {
        try await TestPhone.with { phone in
            let services = phone.services(Self.script("one"))
            services.served.add(Self.script("two"), acceptedAs: Self.script("two").digest)
            #expect(Self.ids(services) == ["one", "two"])
            #expect(services.scripts.acceptedDigest(forBank: "two") == Self.script("two").digest)
            #expect(services.scripts.acceptedDigest(forBank: "one") == nil)
            services.served.add(Self.script("two"), acceptedAs: nil)
            #expect(Self.ids(services) == ["one", "two"])
            #expect(services.scripts.acceptedDigest(forBank: "two") == nil)
        }
    }

    @Test("are there for a runner at once, which tells the broker of them")
    func running() async throws {
        try await TestPhone.with { phone in
            let services = phone.services()
            let runner = try PhoneRunner(home: phone.home, connection: phone.connection(), services: services)
            _ = try await runner.refresh()
            #expect(await phone.broker.lastBankList()?.compactText().contains("default") == true)
            services.served.replace(with: ScriptRegistry([]))
            try await runner.tellOfBanks()
            #expect(await phone.broker.lastBankList()?.compactText().contains("default") == false)
            await phone.broker.offer([try phone.envelope()])
            let refused = try await runner.refresh()
            #expect(refused.pending.isEmpty, "it has no script for the request")
            services.served.replace(with: ScriptRegistry([TestPhone.script]))
            #expect(try await runner.refresh().pending.count == 1)
        }
    }
}
