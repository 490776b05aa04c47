import Foundation
import Messages
import Secrets
import Testing

@testable import Automation

@Suite("A program that is killed during an exchange")
struct ExchangeKillTests {
    private enum Kind: CaseIterable { case claim, code, device, refresh }

    /// Kills a program at one of its steps, starts it again, and looks at what the owner has then.
    ///
    /// - Returns: whether the bank's only answer was lost; nil for a program that came to its end before the kill.
    private func killed(_ kind: Kind, after steps: Int) async throws -> Bool? {
        let (server, vault, clock) = (TokenServer(), LastingVault(), SetClock())
        var program = TokenProgram(server: server, vault: vault, clock: clock)
        let yaml = kind == .claim ? TokenProgram.claim : kind == .device ? TokenProgram.device : TokenProgram.page
        if kind == .refresh {
            _ = try await program.connect(yaml, with: YesBrowser(server))
            clock.advance(by: 3601)
        }
        let before = vault.kept.withLock { $0 }
        program.life = Mortality(after: steps)
        switch kind {
        case .claim, .refresh: _ = try? await program.run(yaml)
        case .code, .device: _ = try? await program.connect(yaml, with: YesBrowser(server, life: program.life))
        }
        guard program.life.isDead else { return nil }
        let kept = vault.kept.withLock { $0 }
        let hasNew = KeptExchange(Secret(kept ?? "{}"))?.grant != nil && kept != before
        // The old credential is never gone before the new one is there.
        if kind == .refresh, !hasNew { #expect(kept == before) }
        let answered = server.state.withLock { state in
            switch kind {
            case .claim: state.claimed
            case .code, .device: state.made > 1 && !state.access.isEmpty
            case .refresh: state.access.count > 1
            }
        }
        program.life = Mortality()
        // What a bank answered once and a dead program did not keep is lost, and nothing else is.
        let isLost = answered && !hasNew
        switch kind {
        case .claim, .refresh:
            let failure = try await program.run(yaml)
            if isLost {
                #expect(failure?.code == (kind == .claim ? .bankLoginFailed : .consentEnded))
                if kind == .claim {
                    #expect(failure?.message.contains("an earlier try, which was interrupted") == true)
                } else {
                    _ = try await program.connect(yaml, with: YesBrowser(server))
                    #expect(try await program.run(yaml) == nil)
                }
            } else {
                #expect(failure == nil, "\(kind) after \(steps): \(failure?.description ?? "")")
            }
        case .code, .device:
            let browser = YesBrowser(server)
            if hasNew {
                #expect(try await program.run(yaml) == nil)
            } else {
                // A code that was kept, and that the bank has not taken, needs no second yes.
                let wasKept = kept?.contains("redeeming") == true || kept?.contains("\"device\"") == true
                let bank = program.bank
                _ = try await program.connect(yaml, with: browser, at: bank)
                let asked = browser.pages.withLock { $0.count } + bank.lines.count { $0 == "POST /device" }
                if wasKept, !answered { #expect(asked == 0) }
                #expect(try await program.run(yaml) == nil)
            }
        }
        return isLost
    }

    @Test("loses nothing that could be kept: 500 kills")
    func kills() async throws {
        var generator = SystemRandomNumberGenerator()
        var (tried, lost) = (0, 0)
        while tried < 500 {
            let kind = Kind.allCases[tried % Kind.allCases.count]
            guard let isLost = try await killed(kind, after: Int.random(in: 1...14, using: &generator)) else {
                continue
            }
            tried += 1
            if isLost { lost += 1 }
        }
        print("500 kills during exchanges: \(lost) lost the only answer of a bank, each was named, and none lost more")
    }
}
