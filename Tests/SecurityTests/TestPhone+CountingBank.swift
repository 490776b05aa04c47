import Automation
import BankScript
import Clocks
import Foundation
import HTMLAutomation
import Messages
import Phone
import Signer
import TestCases
import TestParties

extension TestPhone {
    /// Returns a runner that visits a bank on this machine.
    func runner(_ script: BankScript, person: any HumanPrompt = TestPerson(code: "123456"), servesTestBank: Bool = true)
        throws -> PhoneRunner
    {
        let services = PhoneServices(
            scripts: ScriptRegistry([script]), person: person, clock: clock, servesTestBank: servesTestBank,
            engine: { try HTMLNavigationEngine(for: $0) })
        return try PhoneRunner(home: home, connection: try connection(), services: services)
    }

    /// Offers requests for this many months, and returns them as the phone shows them.
    func requests(_ count: Int, to runner: PhoneRunner) async throws -> [PendingRequest] {
        var envelopes = await broker.envelopes
        for month in 1...count { envelopes.append(try envelope(month: month)) }
        await broker.offer(envelopes)
        return try await runner.refresh().pending
    }

    /// Offers a request for the statements of two months, and returns it as the phone shows it.
    func requestForTwoMonths(to runner: PhoneRunner) async throws -> PendingRequest? {
        let periods = [1, 2].compactMap { MonthYear(month: $0, year: 2026) }
        guard let selection = DocumentSelection(periods: periods) else { return nil }
        let envelope = RequestEnvelope(
            bankID: "default", subject: .documents(selection), issuedAt: Timestamp(clock.now.addingTimeInterval(-10)),
            approvalExpiresAt: Timestamp(clock.now.addingTimeInterval(300)))
        await broker.offer([envelope.signed(with: try FakeBroker.secret()).json])
        return try await runner.refresh().pending.first
    }
}

extension RunOutcome {
    /// The error code of a failed run.
    var code: String? {
        if case .failed(let code, _) = self { code } else { nil }
    }
}
