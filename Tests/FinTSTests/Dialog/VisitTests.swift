import Clocks
import FinTS
import Foundation
import MockBank
import Secrets
import Synchronization
import Testing

@Suite("Visits to a bank")
struct VisitTests {
    @Test(
        "each scenario has one outcome, and a wrong PIN is sent once",
        arguments: [
            (.happy, nil), (.decoupled, nil), (.decoupledUnanswered, .approvalMissing),
            (.decoupledRefused, .approvalCancelled), (.photoTAN, nil), (.flicker, nil), (.severalMethods, nil),
            (.noSecondFactor, nil),
            (.severalStatements, nil),
            (.tanForStatements, nil), (.wrongPIN, .wrongPIN), (.unnamedRefusal, .refused), (.locked, .locked),
            (.userLocked, .locked),
            (.wrongTAN, .wrongTAN), (.noPDF, nil), (.onlyMT940, nil), (.manyPages, nil), (.endlessPages, .garbled),
            (.newParameters, nil), (.newForms, nil), (.forgotten, nil), (.noAnonymous, nil),
            (.unknownProduct, .productRefused),
            (.maintenance, .maintenance), (.garbage, .garbled), (.cutConnection, .network), (.wrongDialog, .garbled),
            (.wrongNumber, .garbled), (.otherBank, .otherBank), (.otherAccount, nil),
        ] as [(FinTSScenario, FinTSFailure.Kind?)])
    func scenarios(_ scenario: FinTSScenario, _ kind: FinTSFailure.Kind?) async throws {
        let bank = FinTSBank(scenario)
        let failure = await visit(bank)
        #expect(failure?.kind == kind, "\(failure.map { "\($0)" } ?? "no failure")")
        #expect(bank.record.breaches == [])
        #expect(bank.record.withWrongPIN <= 1)
        if bank.record.withWrongPIN == 1 || kind == .locked { #expect(bank.record.withPIN == 1) }
        if kind == .otherBank || kind == .garbled && scenario == .garbage { #expect(bank.record.withPIN == 0) }
        if kind == .wrongTAN { #expect(bank.record.withTAN == 1) }
        let asked = Set(bank.record.segments.joined()).subtracting(["HNSHK", "HNSHA"])
        #expect(asked.isSubset(of: Self.reading))
    }

    @Test(
        "an approval that does not come, or was refused, says what to do",
        arguments: [FinTSScenario.decoupledRefused, .decoupledUnanswered])
    func unapproved(_ scenario: FinTSScenario) async throws {
        let words = await visit(FinTSBank(scenario))?.description ?? ""
        #expect(words.lowercased().contains("ask for the documents again"), "\(words)")
    }

    @Test("a bank that names another bank code gets no PIN, also with parameters of version 0")
    func otherBankOfVersion0() async throws {
        let bank = FinTSBank(
            .otherBank,
            damage: { answer, _ in
                Latin1.bytes(of: Latin1.text(answer).replacing(/\+\d\+280:87654321/, with: "+0+280:87654321")) ?? []
            })
        #expect(await visit(bank)?.kind == .otherBank)
        #expect(bank.record.withPIN == 0)
    }

    @Test("every scenario of the mock bank is in the table")
    func allScenarios() {
        #expect(FinTSScenario.allCases.count == 31)
    }

    private static let reading: Set<String> = [
        "HKIDN", "HKVVB", "HKSYN", "HKTAN", "HKTAB", "HKEND", "HKSPA", "HKSAL", "HKKAU", "HKEKP", "HKEKA", "HKCAZ",
        "HKKAZ",
    ]

    @Test("a visit with a kept system id and method signs in once")
    func kept() async throws {
        let bank = FinTSBank(.decoupled)
        var access = Visit.Access.robin
        access.systemID = "sys+4711:1"
        access.securityFunction = "921"
        #expect(await visit(bank, access) == nil)
        #expect(bank.record.segments.count { $0.contains("HKIDN") && $0.contains("HNSHK") } == 1)
        #expect(bank.record.breaches == [])
    }

    @Test("asks for method and medium where there are several, and sends the medium")
    func choices() async throws {
        let bank = FinTSBank(.severalMethods)
        let approver = ScriptedApprover(picks: [1, 1])
        #expect(await visit(bank, approver: approver) == nil)
        #expect(approver.asked == [["Meridian App (921)", "SMS-TAN (942)"], ["Robins Telefon", "Zweites Telefon"]])
        #expect(bank.record.breaches == [])
    }

    @Test("shows the picture of a challenge, and the words without marks")
    func picture() async throws {
        let approver = ScriptedApprover()
        #expect(await visit(FinTSBank(.photoTAN), approver: approver) == nil)
        let challenge = try #require(approver.challenges.first)
        #expect(challenge.picture?.mediaType == "image/png")
        #expect(challenge.picture?.bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) == true)
        #expect(challenge.words == "Bitte geben Sie die TAN ein. Anmeldung")
    }

    @Test(
        "a visit that is cancelled while an answer is on its way leaves the bank, once that has taken the PIN",
        arguments: [
            (.decoupledUnanswered, ["HKTAN", "HNSHK"], "HKIDN", true),
            (.severalMethods, ["HKTAB"], "HKIDN", true),
            (.happy, ["HKSYN"], "HKTAN", false),
            (.happy, ["HKIDN"], "HNSHK", false),
        ] as [(FinTSScenario, Set<String>, String, Bool)])
    func cancelledOnTheWay(
        _ scenario: FinTSScenario, _ held: Set<String>, _ without: String, _ isLeft: Bool
    ) async throws {
        let bank = FinTSBank(scenario)
        let carrier = HeldCarrier(bank: bank) { record in
            record.segments.last.map { held.isSubset(of: $0) && !$0.contains(without) } ?? false
        }
        let task = Task { () -> Visit in
            var visit = Visit(
                .robin, pin: Secret(FinTSBankConfiguration().pin), over: carrier, approver: ScriptedApprover(),
                clock: SwiftClock())
            await #expect(throws: FinTSFailure.self, "\(held)") { try await visit.signIn() }
            return visit
        }
        await carrier.isHeld()
        task.cancel()
        var visit = await task.value
        let sent = bank.record.segments.count
        await visit.end()
        #expect(bank.record.segments.count == sent + (isLeft ? 1 : 0), "\(held)")
        #expect(bank.record.segments.last?.contains("HKEND") == isLeft, "\(held)")
        #expect(bank.record.breaches == [])
    }

    @Test("a visit that is cancelled while the bank is left after its parameters sends no PIN")
    func cancelledBeforeThePIN() async throws {
        let bank = FinTSBank(.happy)
        let carrier = HeldCarrier(bank: bank) { $0.segments.last?.contains("HKEND") == true }
        let task = Task {
            var visit = Visit(
                .robin, pin: Secret(FinTSBankConfiguration().pin), over: carrier, approver: ScriptedApprover(),
                clock: SwiftClock())
            let failure = await #expect(throws: FinTSFailure.self) { try await visit.signIn() }
            #expect(failure?.kind == .cancelled)
            await visit.end()
        }
        await carrier.isHeld()
        task.cancel()
        await task.value
        #expect(bank.record.withPIN == 0 && bank.record.messages == 2)
    }

    @Test("all parts of an answer come together, the same as in one part")
    func parts() async throws {
        var texts: [[UInt8]] = []
        for scenario in [FinTSScenario.happy, .manyPages] {
            var visit = Visit.toBank(FinTSBank(scenario))
            try await visit.signIn()
            let account = try #require(try await visit.accounts().first)
            texts.append(try #require(try await visit.perform(.mt940(account, nil))).mt940)
            let listed = try #require(try await visit.perform(.statementList(account))).listedStatements
            #expect(listed.count == 24 && listed.allSatisfy { $0.isAvailable && $0.number != nil && $0.created != nil })
            await visit.end()
        }
        #expect(texts[0] == texts[1] && texts[0].count > 10_000)
    }

    @Test("no message says the PIN or the TAN in its steps, and both are masked in a failure")
    func canaries() async throws {
        let approver = ScriptedApprover()
        let failure = await visit(FinTSBank(.wrongTAN), approver: approver)
        let told = approver.steps.joined(separator: "\n") + String(describing: failure)
        #expect(!told.contains(FinTSBankConfiguration().pin) && !told.contains(FinTSBankConfiguration().tan))
        #expect(approver.steps.contains { $0.contains("HKTAN") })
    }

    @Test("a PIN that FinTS cannot send is not sent")
    func unsendable() async throws {
        let bank = FinTSBank(.happy)
        var visit = Visit(
            .robin, pin: Secret("zażółć"), over: LoopCarrier(bank: bank), approver: ScriptedApprover(),
            clock: SwiftClock())
        await #expect(throws: FinTSFailure.self) { try await visit.signIn() }
        #expect(bank.record.withPIN == 0)
    }

    @Test("the PIN is sent once however the refusal of a wrong one is damaged: 500 damaged answers")
    func damagedRefusals() async throws {
        var sent: [Int: Int] = [:]
        for number in 1...500 {
            let bank = FinTSBank(.wrongPIN) { answer, count in
                var generator = Dice(UInt64(number))
                // Before the refusal come the parameters and the end of their dialog.
                guard count == Int.random(in: 2...3, using: &generator) else { return answer }
                return Damage.allCases.randomElement(using: &generator)!.apply(to: answer, &generator)
            }
            let failure = await visit(bank)
            let record = bank.record
            sent[record.withPIN, default: 0] += 1
            #expect(failure != nil && record.withPIN <= 1 && record.breaches == [], "seed \(number)")
        }
        #expect(sent[1, default: 0] > 400, "\(sent)")
    }

    @Test(
        "500 damaged answers end in a failure or in a whole answer, with one wrong PIN at most and nothing sent twice")
    func damaged() async throws {
        var kinds: [FinTSFailure.Kind?: Int] = [:]
        var seed = 0
        while seed < 500 {
            seed += 1
            let number = seed
            let bank = FinTSBank(number.isMultiple(of: 3) ? .decoupled : .happy) { answer, count in
                var generator = Dice(UInt64(number))
                guard count == Int.random(in: 1...9, using: &generator) else { return answer }
                return Damage.allCases.randomElement(using: &generator)!.apply(to: answer, &generator)
            }
            let failure = await visit(bank)
            kinds[failure?.kind, default: 0] += 1
            let record = bank.record
            #expect(record.breaches == [] && record.withWrongPIN == 0 && record.withTAN <= 1, "seed \(number)")
            #expect(record.messages <= 40, "seed \(number)")
        }
        // Damage that leaves a message whole, such as another order of the same segments, need not be a failure.
        #expect(kinds[.garbled, default: 0] > 200, "\(kinds)")
        #expect(kinds.keys.allSatisfy { $0 != .wrongPIN && $0 != .network }, "\(kinds)")
    }
}
