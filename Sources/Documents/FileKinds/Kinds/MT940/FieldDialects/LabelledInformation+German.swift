extension LabelledInformation {
    /// Switzerland and Austria in German.
    ///
    /// Sources: the texts of PostFinance's bookings, `GUTSCHRIFT … AUFTRAGGEBER: … MITTEILUNGEN: …`; those of the Austrian
    /// Raiffeisen banks, `Auftraggeber: … Verwendungszweck: … IBAN Auftraggeber: …`.
    static let german = Dialect(
        names: [
            "AUFTRAGGEBER", "ABSENDER", "BEGÜNSTIGTER", "BEGUENSTIGTER", "EMPFÄNGER", "EMPFAENGER", "ZAHLUNGSEMPFÄNGER",
            "ZAHLUNGSEMPFAENGER",
        ],
        accounts: [
            "IBAN AUFTRAGGEBER", "IBAN EMPFÄNGER", "IBAN EMPFAENGER", "IBAN ZAHLUNGSEMPFÄNGER", "KONTO", "IBAN",
        ],
        purposes: ["MITTEILUNG", "MITTEILUNGEN", "VERWENDUNGSZWECK", "ZAHLUNGSGRUND"],
        references: ["ZAHLUNGSREFERENZ", "REFERENZ", "REFERENZEN"],
        others: ["BIC AUFTRAGGEBER", "BIC EMPFÄNGER", "BIC EMPFAENGER", "BIC", "CREDITOR-ID", "MANDAT", "KOSTEN"])
}
