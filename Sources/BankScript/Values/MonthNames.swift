import Foundation
import Synchronization

/// The names of the months in each locale, January first. Cached, because Foundation looks them up again each time.
enum MonthNames {
    private struct Names {
        var standalone: [String]
        var abbreviated: [String]

        /// English without Foundation's tables of dates, which take 2 MB (budget: 45 MB of memory for a cold fetch).
        static let english = Names(
            standalone: [
                "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
                "November", "December",
            ],
            abbreviated: ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"])

        private init(standalone: [String], abbreviated: [String]) {
            self.standalone = standalone
            self.abbreviated = abbreviated
        }

        init(in locale: String) {
            var calendar = Calendar(identifier: .gregorian)
            calendar.locale = Locale(identifier: locale)
            standalone = calendar.standaloneMonthSymbols
            abbreviated = calendar.shortStandaloneMonthSymbols
        }
    }

    private static let known = Mutex<[String: Names]>([:])

    static func standalone(in locale: String) -> [String] { names(in: locale).standalone }
    static func abbreviated(in locale: String) -> [String] { names(in: locale).abbreviated }

    private static func names(in locale: String) -> Names {
        if locale == "en" { return .english }
        return known.withLock { known in
            if let names = known[locale] { return names }
            let names = Names(in: locale)
            known[locale] = names
            return names
        }
    }
}
