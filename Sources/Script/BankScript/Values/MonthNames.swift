import Foundation
import Synchronization

/// The names of the months in each locale, January first. Cached, because Foundation looks them up again each time.
package enum MonthNames {
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

    package static func standalone(in locale: String) -> [String] { names(in: locale).standalone }
    package static func abbreviated(in locale: String) -> [String] { names(in: locale).abbreviated }

    /// Returns the language whose months the texts name; nil when they name none, or those of several equally often.
    ///
    /// - Parameter own: a language that wins when it fits as well.
    package static func language(of texts: some Sequence<String>, besides own: String? = nil) -> String? {
        let text = texts.joined(separator: " ").lowercased()
        let words = Set(text.split { !$0.isLetter }.map(String.init))
        func count(_ locale: String) -> Int { standalone(in: locale).count { words.contains($0.lowercased()) } }
        let counts = ["en", "de", "fr", "es", "it", "nl", "pt", "pl", "sv", "da"].map { ($0, count($0)) }
        guard let best = counts.max(by: { $0.1 < $1.1 }), best.1 > 0, counts.count(where: { $0.1 == best.1 }) == 1
        else { return nil }
        if let own, count(own) >= best.1 { return nil }
        return best.0
    }

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
