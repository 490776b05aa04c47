import Automation
import BankScript
import HTMLEngine
import TestCases
import Testing

@testable import Authoring

@Suite("Drift between two recordings", .timeLimit(.minutes(5)))
struct DriftTests {
    private func report(_ change: (inout [Exchange]) -> Void) async throws -> DriftReport {
        let happy = try await ChangedLayout.happy
        var exchanges = happy.exchanges
        change(&exchanges)
        return try await DriftReport(
            ChangedLayout.script, old: happy, new: HTTPArchive(exchanges), oldParameters: RecordedRun.period,
            newParameters: RecordedRun.period)
    }

    @Test("is empty for the same pages, whatever the rows say")
    func same() async throws {
        let report = try await report { $0.replace("£", by: "€") }
        #expect(report.drifts.isEmpty && report.endsAt == nil)
    }

    @Test("tells what the script uses from what it does not")
    func used() async throws {
        let report = try await report {
            $0.replace(#"<a href="/accounts">Accounts</a>"#, by: #"<a href="/accounts">My money</a>"#)
            $0.replace(">Username<", by: ">Customer number<")
            $0.replace("</main>", by: #"<a href="/offers">Offers</a></main>"#)
        }
        let username = report.drifts.first { $0.part == "field “Username”" }
        #expect(username?.kind == .renamed(to: "Customer number") && username?.isUsed == true)
        #expect(report.drifts.contains { $0.part == "link “Offers”" && $0.kind == .new && !$0.isUsed })
        #expect(report.endsAt?.contains("Username") == true)
    }

    @Test("says each change of a menu once, and goes on while the script does")
    func menu() async throws {
        let report = try await report {
            $0.replace(#"<a href="/accounts">Accounts</a>"#, by: #"<a href="/accounts">My money</a>"#)
        }
        #expect(report.drifts.map(\.words) == ["link “Accounts” is called “My money” now"])
        #expect(report.drifts.allSatisfy { !$0.isUsed } && report.endsAt == nil)
    }

    @Test("names a page that comes between")
    func between() async throws {
        let report = try await report {
            $0.insert("Cookies at Meridian", #"<a href="WAY">Only necessary</a>"#, before: "/accounts")
        }
        #expect(report.drifts.last?.kind == .anotherPage(title: "Cookies at Meridian"))
    }
}
