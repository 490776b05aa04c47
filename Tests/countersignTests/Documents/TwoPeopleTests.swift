import Foundation
import KeyVault
import Messages
import PhoneStore
import Testing

@testable import Phone

/// Two people with everything of their own on one machine.
@Suite("Two people on one machine", .timeLimit(.minutes(3)))
struct TwoPeopleTests {
    @Test("two people with a bank, a broker and a phone each do not touch one another")
    func apart() async throws {
        try await BothSides.running { ada in
            try await BothSides.running { bob in
                _ = try await ada.phone.refresh()
                _ = try await bob.phone.refresh()
                // The same month, the same bank's id: only the broker and the home tell them apart.
                let (first, second) = (try await ada.ask(month: 1), try await bob.ask(month: 1))
                #expect(try await ada.phone.refresh().pending.map(\.id) == [first])
                #expect(try await bob.phone.refresh().pending.map(\.id) == [second])
                // Neither broker knows the other's request, and neither phone may decide it.
                for (id, other) in [(first, bob), (second, ada)] {
                    await #expect { _ = try await other.agent.request(id) } throws: {
                        "\($0)".contains("REQUEST_NOT_FOUND")
                    }
                    await #expect(throws: (any Error).self) { try await other.phone.deny(id) }
                }
                async let one = ada.approve(first)
                async let two = bob.approve(second)
                for outcome in [try await one, try await two] {
                    guard case .completed = outcome else {
                        Issue.record("the run ended with \(outcome)")
                        continue
                    }
                }
                try await ada.until { try await ada.status(first) == .completed }
                try await bob.until { try await bob.status(second) == .completed }
                for (own, both, other) in [(first, ada, bob), (second, bob, ada)] {
                    let path = try #require(try await both.agent.request(own).filePath)
                    #expect(path.hasPrefix(both.brokerHome.path) && !path.hasPrefix(other.brokerHome.path))
                    #expect(both.signIns.count == 1, "each bank saw its own customer once")
                    #expect(try await both.agent.page().requests.map(\.id) == [own])
                    let files = BothSides.files(below: other.home).map(\.path)
                    #expect(!files.contains { $0.contains(own.description) }, "nothing of it is in the other's folders")
                }
            }
        }
    }

    @Test("a phone that holds one home leaves the other's home to its own phone")
    func homes() async throws {
        try await BothSides.with { ada in
            try await BothSides.with { bob in
                #expect(ada.phoneHome.folder != bob.phoneHome.folder)
                // Both hold their homes now; a second program on either is refused, and the other goes on.
                for home in [ada.phoneHome, bob.phoneHome] {
                    #expect(throws: PhoneError.self) { try home.claim() }
                }
                let vault = try await PassphraseVerification(BothSides.passphrase).open(
                    bob.phoneHome.vault, reason: "a test")
                vault.close()
            }
        }
    }
}
