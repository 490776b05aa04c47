import Foundation
import Synchronization

/// The names of the months in each locale, January first. Cached, because Foundation looks them up again each time.
enum MonthNames {
    private struct Names {
        var standalone: [String]
        var abbreviated: [String]

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
        known.withLock { known in
            if let names = known[locale] { return names }
            let names = Names(in: locale)
            known[locale] = names
            return names
        }
    }
}
