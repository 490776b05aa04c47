import Selectors
import Testing

@testable import HTMLEngine

@Suite("A list without the month that is chosen") struct MissingPeriodTests {
    @Test(
        "misses it where it has others",
        arguments: [
            ("2018", ["2026", "2025", "2024"]), ("November", ["Please choose", "January", "February"]),
            ("März", ["Januar", "Februar"]),
            ("March 2026", ["January 2026", "February 2026", "March 2025"]), ("3/2026", ["1/2026", "2/2026"]),
        ] as [(String, [String])])
    func misses(wanted: String, labels: [String]) {
        #expect(TextMatch.name(wanted).isPeriodMissing(among: labels))
    }

    @Test(
        "does not miss it where the list names it otherwise, or names no months",
        arguments: [
            ("2018", ["Account 1", "Account 2"]), ("2026", ["Year 2026", "2025"]), ("2026", []),
            ("3", ["March", "April"]),
            ("March", ["03", "04"]), ("March 2026", ["3/2026", "2/2026"]), ("March 2026", ["March", "April"]),
            ("Checking", ["2026", "2025"]), ("2025", ["1234", "5678"]), ("2025", ["2024/25", "2023/24", "2022"]),
            ("11", ["5", "10", "25", "50"]), ("11", ["1", "2", "3", "4"]), ("11", ["01", "02"]),
            ("March", ["January", "February", "March (new)"]), ("March", ["March"]), ("March", ["February"]),
            ("March 2026", ["January 2026", "Current month", "February 2026"]), ("June", ["April", "Maj", "Junij"]),
            ("March 2026", ["Savings plan since January 2020", "Loan since May 2021"]),
        ] as [(String, [String])])
    func others(wanted: String, labels: [String]) {
        #expect(!TextMatch.name(wanted).isPeriodMissing(among: labels))
    }
}
