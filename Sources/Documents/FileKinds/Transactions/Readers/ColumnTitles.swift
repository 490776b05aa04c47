/// The titles that banks give the columns of their CSV files.
///
/// Sources: the headers in bank2ynab/bank2ynab (bank2ynab.conf and test/test-data), and those of ``BankProfile``.
enum ColumnTitles {
    /// Returns the role of a column of this title, and its place among the titles of that role: the first fits best. Nil for a
    /// title that is not known.
    static func role(of title: String) -> (role: CSVColumns.Role, rank: Int)? {
        // What is in brackets is the unit, as in “Amount (EUR)”.
        // Some banks begin titles with a number sign.
        let plain = title.lowercased().split(separator: "(").first.map { String($0.drop { $0 == "#" }).folded } ?? ""
        let words = plain.split(separator: " ").filter { !Self.units.contains(String($0)) }
        if let role = Self.roles[plain] ?? Self.roles[words.joined(separator: " ")] { return role }
        // “Debit Amount” is the column of debits.
        let side = words.filter { !["amount", "betrag", "bedrag", "amt"].contains($0) }
        guard side.count < words.count, let role = Self.roles[side.joined(separator: " ")],
            [.debit, .credit].contains(role.role)
        else { return nil }
        return role
    }

    /// Returns whether a title is that of amounts from which the fee is already taken.
    static func isNet(_ title: String) -> Bool {
        title.lowercased().split { !$0.isLetter }.contains { ["net", "neto"].contains($0) || $0.hasPrefix("netto") }
    }

    /// Returns whether a title says that amounts are in hundredths or in thousands.
    static func isScaled(_ title: String) -> Bool {
        let words = title.lowercased().split { !$0.isLetter && $0 != "€" && !$0.isNumber }
        return words.contains { scales.contains($0) || $0.hasPrefix("minor") }
    }

    private static let scales: Set<Substring> = [
        "cent", "cents", "centimes", "centavos", "céntimos", "pence", "penny", "pennies", "grosze", "öre", "øre", "000",
        "1000",
        "thousand", "thousands", "million", "millions", "tsd", "tausend", "teur", "t€", "k€", "keur", "mio",
        "millionen",
    ]

    static func isTimeZone(_ title: String) -> Bool {
        ["timezone", "time zone", "zeitzone", "tijdzone", "fuseau horaire", "zona horaria", "fuso orario"]
            .contains(title.lowercased())
    }

    static func isFee(_ title: String) -> Bool { fees.contains(title.lowercased()) }

    /// Returns whether a column of this title is the account of the other party, or the owner's own: only the columns beside it
    /// and the values tell.
    static func isEitherAccount(_ title: String) -> Bool { eitherAccounts.contains(title.lowercased().folded) }

    private static let eitherAccounts: Set<String> = ["account number", "kontonummer", "tilinumero"]

    /// Returns whether a column of this title may hold the names or numbers of the owner's own accounts.
    static func mayBeAccount(_ title: String) -> Bool {
        role(of: title)?.role == .account || accounts.contains(title.lowercased().folded) || isEitherAccount(title)
    }

    private static let accounts: Set<String> = [
        "account name", "account no", "account no.", "account id", "my account", "own account", "product", "produkt",
        "konto", "kontoname", "kontobezeichnung", "bezeichnung auftragskonto", "eigenes konto", "compte", "cuenta",
        "conto", "rachunek", "rekeningnaam", "konto zlecające", "účet", "számla", "pot", "space",
    ]

    private static let fees: Set<String> = [
        "fee", "fees", "fee amount", "charges", "commission", "gebühr", "gebühren", "entgelt", "provision", "kosten",
        "frais", "comisión", "comision", "commissione", "commissioni", "opłata", "opłaty", "prowizja", "poplatek",
        "poplatky", "díj", "jutalék", "avgift", "avgifter", "gebyr", "комиссия",
    ]

    private static let units: Set<String> = [
        "in", "eur", "usd", "gbp", "chf", "czk", "pln", "huf", "sek", "nok", "dkk", "€", "euro", "euros", "euroa",
    ]

    private static let roles: [String: (role: CSVColumns.Role, rank: Int)] = {
        var roles: [String: (role: CSVColumns.Role, rank: Int)] = [:]
        for (role, titles) in titles {
            for (rank, title) in titles.enumerated() { roles[title] = (role, rank) }
        }
        return roles
    }()

    private static let titles: [(CSVColumns.Role, [String])] = [
        (
            .booked,
            [
                "date", "booked", "booked at", "post date", "datum", "buchungstag", "buchungsdatum", "buchung",
                "booking date", "posting date",
                "posted date",
                "transaction date", "date processed", "created", "transactiedatum", "boekdatum", "boekingsdatum",
                "data",
                "data operacji", "data księgowania", "fecha", "fecha operación", "date opération",
                "date de comptabilisation",
                "data operazione", "data contabile", "datum zaúčtování", "bokföringsdag", "bokføringsdato", "dato",
                "päivä",
                "kirjauspäivä", "tranzakció dátuma", "könyvelés dátuma", "completed date", "kuupäev", "txn date",
                "trans. date", "trans date", "data transakcji", "datum provedení", "datum odepsání", "datums", "dateop",
                "boekingsdatum", "abschlussdatum",
            ]
        ),
        (
            .valued,
            [
                "value date", "valuta", "valutadatum", "wertstellung", "wertstellungsdatum", "rentedatum",
                "interest date",
                "execution date", "date valeur", "date de valeur", "fecha valor", "data valuta", "data waluty",
                "értéknap",
                "valutadag", "value dat", "valuta date", "wert", "arvopäivä", "dateval", "f.valor", "datum valuty",
            ]
        ),
        (
            .amount,
            [
                "amount", "betrag", "buchungsbetrag", "bedrag", "umsatz", "kwota",
                "kwota operacji", "kwota transakcji", "montant",
                "importe", "importo", "částka",
                "zaúčtovaná částka", "belopp", "beløb", "beløp", "summa", "trans amount", "transaction amount", "määrä",
                "objem", "suma", "montant de l'opération", "tranzakció összege", "összeg", "valor",
                "value",
                // The last ones are chosen only where there is no other, or beside a fee.
                "gross", "brutto", "netto", "net", "net amount",
            ]
        ),
        (
            .debit,
            [
                "debit", "debet", "soll", "débit", "debe", "cargo", "dare", "paid out", "money out", "withdrawal",
                "withdrawals", "belastung", "belastungen", "lastschrift", "lastschriften", "ausgaben", "uitgaven",
                "débits", "uscite", "addebiti", "addebito", "wydatki", "obciążenia", "výdaje", "terhelés", "deebet",
                "ut fra konto", "beløp ut", "ut",
            ]
        ),
        (
            .credit,
            [
                "credit", "haben", "crédit", "haber", "abono", "avere", "paid in", "money in", "deposit", "deposits",
                "gutschrift", "gutschriften", "einnahmen", "inkomsten", "crédits", "entrate", "accrediti", "accredito",
                "wpływy", "uznania", "příjmy", "jóváírás", "kreedit",
                "inn på konto", "beløp inn", "inn",
            ]
        ),
        (
            .sign,
            ["af bij", "creditdebet", "debit/credit", "credit/debit", "soll/haben", "s/h", "d/c", "bevétel/kiadás"]
        ),
        (
            .currency,
            [
                "currency", "währung", "waehrung", "munt", "valutacode", "waluta", "devise", "divisa", "měna účtu",
                "valuta kod", "devizanem", "valuuta", "valūta", "valiuta", "měna", "mena", "devies", "devize",
                "currency code", "ccy", "whg", "moneda", "moeda",
            ]
        ),
        (
            .counterparty,
            [
                "naam tegenpartij", "counterparty name", "payee", "name", "naam", "empfänger", "auftraggeber/empfänger",
                "beguenstigter/zahlungspflichtiger", "name zahlungsbeteiligter", "partner name", "naam / omschrijving",
                "tegenrekeninghouder", "counteraccount name", "název protiúčtu", "partner neve", "nadawca / odbiorca",
                "merchant", "merchant name", "beneficiary", "beneficiary/payer", "saaja/maksaja",
            ]
        ),
        (
            .counterpartyAccount,
            [
                "counterparty", "tegenrekening", "tegenrekening iban/bban", "kontonummer/iban",
                "iban zahlungsbeteiligter",
                "partner iban", "counterparty account", "tegenrekeningnummer", "rekeningnummer tegenpartij",
                "číslo protiúčtu",
                "partner számlaszáma", "account number", "kontonummer", "tilinumero",
            ]
        ),
        (
            .purpose,
            [
                "verwendungszweck", "description", "details", "purpose", "text", "memo", "reference", "buchungstext",
                "omschrijving", "omschrijving-1", "mededelingen", "opis", "opis operacji", "tytuł", "libellé",
                "concepto",
                "descripción", "descrizione", "causale", "popis", "zpráva", "meddelande", "tekst", "selitys",
                "beskrivning", "beskrivelse", "forklaring", "viesti",
                "közlemény",
                "payment reference", "transaction description",
            ]
        ),
        (
            .account,
            [
                "account", "client account", "rekening", "rekeningnummer", "iban/bban", "auftragskonto",
                "iban auftragskonto",
                "iban auftraggeberkonto", "číslo účtu", "számlaszám",
            ]
        ),
        (
            .status,
            [
                "status", "state", "info", "статус", "stato", "estado", "statut", "état", "stav", "stan", "tila",
                "tilstand",
            ]
        ),
        (
            .balance,
            [
                "balance", "running balance", "account balance", "balance after", "balance after transaction",
                "booked balance", "saldo", "saldo nach buchung", "neuer saldo", "kontostand", "saldo na trn",
                "saldo na mutatie", "saldo po operacji", "saldo po transakcji", "solde", "solde après opération",
                "saldo contabile", "zůstatek", "zostatok", "egyenleg", "saldo efter", "bokfört saldo", "bokførd saldo",
                "balans", "jääk", "likutis", "guthaben", "running bal", "running bal.", "runningbalance",
                "closing balance", "saldo transakcji",
            ]
        ),
        (.payerReference, ["kundenreferenz", "end-to-end", "betalingskenmerk", "referentie"]),
        (.bankReference, ["transactiereferentie", "transaction reference number", "id transakce"]),
        (.code, ["umsatzart", "vorgang", "transaction type", "type", "transaktionstyp", "code", "typ transakce"]),
    ]
}
