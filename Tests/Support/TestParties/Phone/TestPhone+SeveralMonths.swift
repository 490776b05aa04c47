import BankScript
import Clocks
import Foundation
import Messages

extension TestPhone {
    /// A bank that shows the statements of several months in one visit.
    package static let severalMonths = BankScript("default", named: "Meridian Savings", at: "https://bank.example") {
        Open("/login")
    } forEachPeriod: {
        Open("/statements/{{ year }}/{{ month }}")
        Download("PDF")
    }

    /// Has the broker offer a request for the statements of the first months of 2026.
    package func offered(months: Int) async throws -> RequestID {
        let periods = (1...months).map { MonthYear(month: $0, year: 2026)! }
        let envelope = RequestEnvelope(
            bankID: "default", subject: .documents(DocumentSelection(periods: periods)!),
            issuedAt: Timestamp(clock.now), approvalExpiresAt: Timestamp(clock.now.addingTimeInterval(300)))
        await broker.offer([envelope.signed(with: try FakeBroker.secret()).json])
        return envelope.requestID
    }
}
