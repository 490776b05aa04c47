/// Months in words, as the languages of Europe's banks write and shorten them.
enum MonthNames {
    /// Returns the month, 1 to 12, whose name begins the word; nil for any other word.
    static func month(_ word: some StringProtocol) -> Int? {
        let lower = word.lowercased()
        guard (3...12).contains(lower.count) else { return nil }
        return starts.firstIndex { $0.contains { lower.hasPrefix($0) } }.map { $0 + 1 }
    }

    /// The beginnings that no other month shares: English, German, French, Spanish, Italian, Dutch, Portuguese, Polish,
    /// and the languages of the North.
    private static let starts: [[String]] = [
        ["jan", "jän", "jaen", "ene", "gen", "sty"], ["feb", "fév", "fev", "lut"],
        ["mar", "mär", "maer", "mrz", "maa", "mrt"], ["apr", "avr", "abr", "kwi"], ["may", "mai", "mei", "mag", "maj"],
        ["jun", "juin", "giu", "cze"], ["jul", "juil", "lug", "lip"], ["aug", "aoû", "aou", "ago", "sie"],
        ["sep", "set", "wrz"], ["oct", "okt", "ott", "out", "paź", "paz"], ["nov", "lis"],
        ["dec", "dez", "déc", "dic", "gru", "des"],
    ]
}
