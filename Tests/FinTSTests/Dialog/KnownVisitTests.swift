import FinTS
import Foundation
import MockBank
import Secrets
import Testing

@Suite("Visits that know the bank from an earlier one")
struct KnownVisitTests {
    private func sessions(_ bank: FinTSBank, after messages: Int = 0) -> [[String]] {
        bank.record.segments.dropFirst(messages).map { $0.filter { $0.hasPrefix("HK") } }
    }

    /// Makes a first visit.
    ///
    /// - Returns: the things that a later one may know.
    private func first(_ bank: FinTSBank) async throws -> (access: Visit.Access, known: KnownParameters) {
        var visit = Visit.toBank(bank)
        try await visit.signIn()
        _ = try await visit.accounts()
        await visit.end()
        return (visit.access, visit.known)
    }

    private func later(_ bank: FinTSBank, _ access: Visit.Access, _ known: KnownParameters?) -> Visit {
        Visit(
            access, knowing: known, pin: Secret(FinTSBankConfiguration().pin), over: LoopCarrier(bank: bank),
            approver: ScriptedApprover(), clock: SwiftClock())
    }

    @Test(
        "a later visit opens one dialog, and asks neither for parameters nor for accounts",
        arguments: [FinTSScenario.noSecondFactor, .noAnonymous, .severalMethods, .tanForStatements])
    func oneDialog(_ scenario: FinTSScenario) async throws {
        let bank = FinTSBank(scenario)
        let (access, known) = try await first(bank)
        let before = bank.record.messages
        let text = try #require(known.text)
        var visit = later(bank, access, KnownParameters(text))
        try await visit.signIn()
        let accounts = try await visit.accounts()
        #expect(
            accounts.map(\.iban).count == 3 && accounts.allSatisfy { $0.bic == "MERIDEFFXXX" && !$0.product.isEmpty })
        #expect(visit.hasKnownAccounts && visit.known.text == text)
        let statements = try await visit.perform(.statementList(accounts[0]))
        #expect(statements?.listedStatements.count == 24)
        await visit.end()
        let sent = sessions(bank, after: before)
        #expect(sent.count { $0.contains("HKIDN") } == 1)
        #expect(!sent.joined().contains("HKSPA") && !sent.joined().contains("HKSYN"))
        if scenario == .noSecondFactor {
            #expect(sent == [["HKIDN", "HKVVB", "HKTAN"], ["HKKAU"], ["HKEND"]])
        }
        #expect(bank.record.breaches == [])
    }

    @Test("the list of accounts can be asked for anew")
    func anew() async throws {
        let bank = FinTSBank(.noSecondFactor)
        let (access, known) = try await first(bank)
        var visit = later(bank, access, known)
        try await visit.signIn()
        #expect(try await visit.accounts() == visit.accounts(anew: true))
        #expect(!visit.hasKnownAccounts)
        await visit.end()
    }

    @Test("a bank whose parameters changed sends them with the answer to the sign-in, and they are known then")
    func changed() async throws {
        let bank = FinTSBank(.newParameters)
        let (access, known) = try await first(bank)
        let before = bank.record.messages
        var visit = later(bank, access, known)
        try await visit.signIn()
        #expect(visit.bank.version == known.bank.version + 1)
        #expect(visit.known.bank.version == visit.bank.version)
        await visit.end()
        #expect(sessions(bank, after: before).count { $0.contains("HKIDN") } == 1)
    }

    @Test(
        "a refusal that is about what was kept makes the visit begin again as a first one, with one question more",
        arguments: [
            (.newForms, ["HKIDN", "HKIDN", "HKIDN"]), (.forgotten, ["HKIDN", "HKIDN", "HKIDN", "HKSYN", "HKIDN"]),
        ]
            as [(FinTSScenario, [String])])
    func stale(_ scenario: FinTSScenario, _ asked: [String]) async throws {
        let bank = FinTSBank(scenario)
        let (access, known) = try await first(bank)
        let before = bank.record.messages
        var old = access
        if scenario == .forgotten { old.systemID = "sys+4711:0" }
        let text = try #require(known.text).replacing("+7+280", with: "+6+280")
        var visit = later(bank, old, KnownParameters(text))
        try await visit.signIn()
        #expect(try await visit.accounts().count == 3)
        await visit.end()
        let sent = sessions(bank, after: before)
        #expect(sent.joined().filter { ["HKIDN", "HKSYN"].contains($0) } == asked)
        #expect(visit.access.systemID != old.systemID || scenario == .newForms)
        #expect(visit.bank.version == 7)
        #expect(bank.record.breaches == [] && bank.record.withWrongPIN == 0)
    }

    @Test(
        "a refusal that may be about the PIN ends the visit",
        arguments: [
            (FinTSScenario.wrongPIN, FinTSFailure.Kind.wrongPIN), (.locked, .locked), (.userLocked, .locked),
            (.unknownProduct, .productRefused), (.maintenance, .maintenance),
        ])
    func refused(_ scenario: FinTSScenario, _ kind: FinTSFailure.Kind) async throws {
        let (access, known) = try await first(FinTSBank(.happy))
        let bank = FinTSBank(scenario)
        var visit = later(bank, access, known)
        let failure = await #expect(throws: FinTSFailure.self) { try await visit.signIn() }
        await visit.end()
        #expect(failure?.kind == kind)
        #expect(bank.record.messages == 1)
    }

    @Test(
        "codes that say nothing of the PIN begin again, and no others",
        arguments: [
            (["9110", "9800"], 2), (["9391", "9050", "9800"], 2), (["9361"], 2), (["9075", "9800"], 2),
            (["9010", "0901", "9800"], 2), (["9010", "9800"], 1), (["9050", "9942"], 1), (["9110", "9931"], 1),
            (["9110", "9955"], 1), (["9185"], 1), (["9400"], 1), (["9391", "9210"], 1),
        ] as [([String], Int)])
    func codes(_ codes: [String], _ signIns: Int) async throws {
        let (access, known) = try await first(FinTSBank(.happy))
        let bank = FinTSBank(.happy) { answer, number in
            number == 1 ? Self.refusal(with: codes) : answer
        }
        var visit = later(bank, access, known)
        do { try await visit.signIn() } catch { #expect(signIns == 1, "\(codes): \(error)") }
        await visit.end()
        let signedIn = bank.record.segments.count {
            $0.contains("HNSHK") && $0.contains("HKTAN") && $0.contains("HKIDN")
        }
        #expect(signedIn == signIns, "\(codes)")
    }

    @Test(
        "a refusal without a reason may be one of the PIN, unless the bank says that the PIN is right",
        arguments: [
            (["9010", "9800"], true), (["9050", "9800"], true), (["9800"], true), (["9400"], true),
            (["9050", "0901", "9400"], false), (["9050", "9210"], true), (["9040", "9800"], true),
            (["9078", "9800"], false), (["9997"], false), (["9185"], false),
        ] as [([String], Bool)])
    func unnamed(_ codes: [String], mayBeThePIN: Bool) async throws {
        let (access, known) = try await first(FinTSBank(.happy))
        let bank = FinTSBank(.happy) { answer, number in
            number == 1 ? Self.refusal(with: codes) : answer
        }
        var visit = later(bank, access, known)
        await #expect(throws: FinTSFailure.self, "\(codes)") { try await visit.signIn() }
        await visit.end()
        #expect(visit.mayHaveRefusedPIN == mayBeThePIN, "\(codes)")
        #expect(!visit.isSignedIn, "\(codes)")
    }

    /// An answer to the first message of a dialog that has these codes alone.
    private static func refusal(with codes: [String]) -> [UInt8] {
        let whole = codes.map { "\($0)::Abgelehnt" }.joined(separator: "+")
        func message(_ size: Int) -> String {
            let digits = String(size)
            let padded = String(repeating: "0", count: 12 - digits.count) + digits
            return "HNHBK:1:3+\(padded)+300+D9+1'HIRMG:2:2+\(whole)'HNHBS:3:1+1'"
        }
        return Array(message(message(0).utf8.count).utf8)
    }

    @Test("damaged texts, and parameters of another bank, are not known")
    func damaged() async throws {
        let bank = FinTSBank(.happy)
        let (access, known) = try await first(bank)
        let text = try #require(known.text)
        for other in [
            "", "x", "HIBPA:0:3+7+280'", String(text.dropLast()), String(text.dropFirst(5)), text + text,
            text.replacing("HIBPA", with: "HIBPX"), "€" + text, String(repeating: text, count: 100),
        ] { #expect(KnownParameters(other) == nil, "\(other.prefix(40))") }
        var generator = Dice(54)
        for _ in 0..<300 {
            let bytes = try #require(Latin1.bytes(of: text))
            let damage = try #require(Damage.allCases.randomElement(using: &generator))
            let mutated = Latin1.text(damage.apply(to: bytes, &generator))
            guard let read = KnownParameters(mutated) else { continue }
            // A change that can be read must not end a visit but by the bank's refusal, and the bank is told no PIN twice.
            let bank = FinTSBank(.happy)
            var visit = later(bank, access, read)
            do {
                try await visit.signIn()
                _ = try await visit.accounts()
            } catch {}
            await visit.end()
            #expect(bank.record.withWrongPIN == 0)
        }
        let before = bank.record.messages
        let elsewhere = try #require(KnownParameters(text.replacing("+7+280:12345678", with: "+7+280:87654321")))
        var visit = later(bank, access, elsewhere)
        try await visit.signIn()
        await visit.end()
        #expect(bank.record.segments[before].contains("HNSHK") == false)
        #expect(visit.bank.bankCode == "12345678")
    }

    @Test("parameters that are too long to keep are not kept")
    func long() throws {
        var bank = BankParameters()
        let name = String(repeating: "a", count: KnownParameters.longest)
        try bank.take([Segment("HIBPA", version: 3, [[.number(7)], [.text("280"), .text("12345678")], [.text(name)]])])
        #expect(KnownParameters(bank: bank, user: UserParameters(), accountList: []).text == nil)
        #expect(KnownParameters(bank: BankParameters(), user: UserParameters(), accountList: []).text == nil)
    }
}
