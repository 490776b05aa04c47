import Foundation
import Testing

@testable import BankScript

@Suite("The names of months")
struct MonthNamesTests {
    @Test("are Foundation's in English too")
    func english() {
        var calendar = Calendar(identifier: .gregorian)
        calendar.locale = Locale(identifier: "en")
        #expect(MonthNames.standalone(in: "en") == calendar.standaloneMonthSymbols)
        #expect(MonthNames.abbreviated(in: "en") == calendar.shortStandaloneMonthSymbols)
    }

    @Test(
        "are those of the locale", arguments: [("de", "März", "Mär"), ("fr", "mars", "mars"), ("en", "March", "Mar")])
    func locales(locale: String, name: String, abbreviation: String) {
        #expect(MonthNames.standalone(in: locale)[2] == name)
        #expect(MonthNames.abbreviated(in: locale)[2] == abbreviation)
    }
}
