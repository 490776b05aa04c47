import BankScript
import TestParties
import Testing

@testable import Phone

extension TestPhone {
    /// Offers the request for a month's statement, approves it, and lets a second pass.
    @discardableResult
    func approve(month: Int, _ services: PhoneServices) async throws -> RunOutcome {
        let runner = try PhoneRunner(home: home, connection: try connection(), services: services)
        await broker.offer([try envelope(month: month)])
        let request = try #require(try await runner.refresh().pending.first)
        let outcome = try await runner.approve(request, with: verification)
        clock.advance(by: 1)
        return outcome
    }
}
