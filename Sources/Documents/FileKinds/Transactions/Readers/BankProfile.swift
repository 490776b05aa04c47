/// The columns of a bank's CSV files, under a name that a person can give instead of them.
package struct BankProfile: Sendable {
    /// The name to give, e.g. `ing-nl`.
    package let name: String
    /// The bank and its country.
    package let bank: String
    /// The declaration that ``CSVColumns/init(_:)`` reads.
    package let columns: String
    /// The currency of a file without a column for it; empty where the file has one.
    package let currency: String
    /// The public example that the columns are from.
    package let source: String

    /// Returns nil for a name that is not known.
    package init?(named name: String) {
        guard let known = Self.all.first(where: { $0.name == name.lowercased() }) else { return nil }
        self = known
    }

    private init(_ name: String, _ bank: String, _ columns: String, currency: String = "", source: String) {
        (self.name, self.bank, self.columns) = (name, bank, columns)
        (self.currency, self.source) = (currency, source)
    }

    /// In the order of their names. The sources are the examples in the repository bank2ynab/bank2ynab (test/test-data, and
    /// the headers in bank2ynab.conf).
    package static let all: [BankProfile] = [
        BankProfile(
            "bunq", "bunq, in English",
            "booked=Date,amount=Amount,account=Account,counterparty_account=Counterparty,counterparty=Name,purpose=Description",
            currency: "EUR", source: "2019-03-02_11-50-46_bunq-statement.csv"),
        BankProfile(
            "bunq-nl", "bunq, in Dutch",
            "booked=Datum,amount=Bedrag,account=Rekening,counterparty_account=Tegenrekening,counterparty=Naam,purpose=Omschrijving",
            currency: "EUR", source: "2018-04-14_10-52-13_bunq-transactieoverzicht.csv"),
        BankProfile(
            "commerzbank-de", "Commerzbank, Germany",
            "booked=Buchungstag,valued=Wertstellung,code=Umsatzart,purpose=Buchungstext,amount=Betrag,currency=Währung,account=IBAN Auftraggeberkonto",
            source: "Umsaetze_KtoNr538917600_EUR_02-03-2018_1503.CSV"),
        BankProfile(
            "erste-hu", "Erste, Hungary",
            "booked=Tranzakció dátuma,counterparty=Partner neve,counterparty_account=Partner számlaszáma,account=Számlaszám,code=Tranzakció típusa,amount=Tranzakció összege,currency=Tranzakció devizaneme,valued=Értéknap,purpose=Közlemény",
            source: "W80844_EBH_201945.202122.csv"),
        BankProfile(
            "ing-nl", "ING, Netherlands",
            "booked=Datum,counterparty=Naam / Omschrijving,account=Rekening,counterparty_account=Tegenrekening,code=Code,sign=Af Bij,amount=Bedrag (EUR),purpose=Mededelingen",
            currency: "EUR", source: "bank2ynab.conf, NL ING Checking 2020"),
        BankProfile(
            "kbc-be", "KBC, Belgium",
            "account=Rekeningnummer,currency=Munt,booked=Datum,purpose=Omschrijving,valued=Valuta,amount=Bedrag,counterparty_account=rekeningnummer tegenpartij,counterparty=Naam tegenpartij,details=Vrije mededeling,payer_reference=gestructureerde mededeling",
            source: "export_BE11123456789012_20180304_1422.csv"),
        BankProfile(
            "knab-nl", "Knab, Netherlands",
            "account=Rekeningnummer,booked=Transactiedatum,currency=Valutacode,sign=CreditDebet,amount=Bedrag,counterparty_account=Tegenrekeningnummer,counterparty=Tegenrekeninghouder,valued=Valutadatum,code=Betaalwijze,purpose=Omschrijving,payer_reference=Referentie",
            source: "bank2ynab.conf, NL KNAB"),
        BankProfile(
            "monzo-gb", "Monzo, United Kingdom",
            "bank_reference=id,booked=created,amount=amount,currency=currency,code=category,counterparty=description,purpose=notes",
            source: "MonzoDataExport_February2018_2018-02-26_174335.csv"),
        BankProfile(
            "n26-de", "N26, in German",
            "booked=Datum,counterparty=Empfänger,counterparty_account=Kontonummer,code=Transaktionstyp,purpose=Verwendungszweck,amount=Betrag (EUR)",
            currency: "EUR", source: "20171001-20171106.csv"),
        BankProfile(
            "rabobank-nl", "Rabobank, Netherlands",
            "account=IBAN/BBAN,currency=Munt,booked=Datum,valued=Rentedatum,amount=Bedrag,counterparty_account=Tegenrekening IBAN/BBAN,counterparty=Naam tegenpartij,code=Code,bank_reference=Transactiereferentie,payer_reference=Betalingskenmerk,purpose=Omschrijving-1,details=Omschrijving-2",
            source: "CSV_A_20180414_112204.csv"),
        BankProfile(
            "raiffeisen-at", "Raiffeisen, Austria", "booked=1,purpose=2,valued=3,amount=4,currency=5",
            source: "test_raiffeisen_01.csv"),
        BankProfile(
            "sparkasse-de", "Savings banks, Germany (CSV-MT940)",
            "account=Auftragskonto,booked=Buchungstag,valued=Valutadatum,code=Buchungstext,purpose=Verwendungszweck,counterparty=Beguenstigter/Zahlungspflichtiger,counterparty_account=Kontonummer,amount=Betrag,currency=Waehrung,status=Info",
            source: "20180226-1000594757-umsatz.CSV"),
        BankProfile(
            "sparkasse-camt-de", "Savings banks, Germany (CSV-CAMT)",
            "account=Auftragskonto,booked=Buchungstag,valued=Valutadatum,code=Buchungstext,purpose=Verwendungszweck,payer_reference=Kundenreferenz (End-to-End),counterparty=Beguenstigter/Zahlungspflichtiger,counterparty_account=Kontonummer/IBAN,amount=Betrag,currency=Waehrung,status=Info",
            source: "bank2ynab.conf, DE Sparkasse Südholstein"),
    ]
}
