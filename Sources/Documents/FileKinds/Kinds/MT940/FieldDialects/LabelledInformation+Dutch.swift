extension LabelledInformation {
    /// The Netherlands.
    ///
    /// Sources: ABN AMRO's description of MT940, as its statements were until 2014 and those of smaller banks still are;
    /// Knab's statements, `Invoice 7 REK: NL…/NAAM: A. Tester`; ING's texts, `Naam: … Omschrijving: … IBAN: …`.
    static let dutch = Dialect(
        names: ["NAAM"], accounts: ["IBAN", "REK"], purposes: ["OMSCHRIJVING", "BETALINGSKENM."],
        references: ["KENMERK"],
        others: ["BIC", "MACHTIGING", "MACHTIGING ID", "INCASSANT", "INCASSANT ID", "VOOR", "VALUTADATUM"])
}
