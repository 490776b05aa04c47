/// Which column of a CSV file holds what: banks' files differ in everything but their commas.
package struct CSVColumns: Sendable, Hashable {
    /// A use of a column. The raw value is the name in a declaration and in this module's own CSV files.
    package enum Role: String, Sendable, Hashable, CaseIterable {
        case id, account, booked, valued, amount
        /// Payments. Without a column `credit` also receipts, with a minus sign, as in files of credit cards.
        case debit
        case credit
        /// The bank's charge, which is not in the amount, as in files of Revolut and PayPal: it is taken from it, or added
        /// with its sign where charges have a minus sign.
        case fee
        /// A word that says whether the amount came or went, such as `Af` and `Bij`.
        case sign
        case currency, counterparty
        case counterpartyAccount = "counterparty_account"
        case purpose
        case bankReference = "bank_reference"
        case payerReference = "payer_reference"
        case code
        /// Further texts of the bank.
        case details
        /// A word that says whether the line is booked, such as `Umsatz vorgemerkt`.
        case status
        /// The balance after the line, which is checked against the amounts.
        case balance

        /// The index among all cases.
        var number: Int {
            switch self {
            case .id: 0
            case .account: 1
            case .booked: 2
            case .valued: 3
            case .amount: 4
            case .debit: 5
            case .credit: 6
            case .fee: 7
            case .sign: 8
            case .currency: 9
            case .counterparty: 10
            case .counterpartyAccount: 11
            case .purpose: 12
            case .bankReference: 13
            case .payerReference: 14
            case .code: 15
            case .details: 16
            case .status: 17
            case .balance: 18
            }
        }
    }

    /// The columns' names in the file's header; their numbers, from 1, in a file without a header.
    package let names: [Role: String]
    /// The words of the column `sign`, in lower case, with true for a payment.
    let signs: [String: Bool]
    /// Found out from the amounts when nil, if it can be.
    package var decimalMark: Character?

    /// Reads a declaration such as `booked=Buchungstag,amount=Betrag,purpose=Verwendungszweck`.
    ///
    /// `sign=Af Bij` names a column of words that banks use, and `sign=Type,plus=In,minus=Out` one with other words.
    /// `booked=1,amount=3` counts the columns of a file without a header.
    ///
    /// - Throws: ``ReadingError`` for an unknown role, a role twice, and a declaration without date or amount.
    package init(_ declaration: String) throws(ReadingError) {
        var names: [Role: String] = [:]
        var signs = Self.knownSigns
        for part in declaration.split(separator: ",") {
            let sides = part.split(separator: "=", maxSplits: 1).map(\.folded)
            if sides.count == 2, sides[0] == "plus" || sides[0] == "minus" {
                signs[sides[1].lowercased()] = sides[0] == "minus"
                continue
            }
            let roles = Role.allCases.map(\.rawValue).joined(separator: ", ")
            guard sides.count == 2, let role = Role(rawValue: sides[0]), !sides[1].isEmpty else {
                throw ReadingError(
                    .ambiguous,
                    "\(ReadingError.quoted(part)) declares no column; write ROLE=NAME, where ROLE is one of \(roles)")
            }
            guard names.updateValue(sides[1], forKey: role) == nil else {
                throw ReadingError(.ambiguous, "the role \(role.rawValue) is declared twice")
            }
        }
        guard names[.booked] != nil, names[.amount] != nil || names[.debit] != nil else {
            throw ReadingError(
                .ambiguous, "the columns need booked, and amount, or debit and credit, or debit alone")
        }
        guard names[.sign] == nil || names[.amount] != nil else {
            throw ReadingError(.ambiguous, "the column sign says whether the amount came or went, so it needs amount")
        }
        if let fee = names[.fee], let amount = names[.amount], ColumnTitles.isNet(amount) {
            throw ReadingError(
                .ambiguous,
                "the column \(ReadingError.quoted(amount)) has what is left after the fee; leave fee=\(fee) out of --columns"
            )
        }
        self.names = names
        self.signs = signs
    }

    /// The words of banks, in lower case, with true for those of a payment.
    static let knownSigns: [String: Bool] = {
        let payments = [
            "af", "d", "s", "dr", "db", "dbit", "debit", "debet", "soll", "lastschrift", "débit", "débito", "debito",
            "belastung", "obciążenie", "dare", "-", "−", "–", "out", "uit", "withdrawal", "payment", "paid out",
            "money out",
            "ausgang", "ausgabe", "abgang", "debe", "cargo", "saída", "uscita", "addebito", "sortie", "dépense",
            "wypłata", "výdaj", "kiadás", "terhelés", "ut", "uttag", "otto", "deebet", "debetas", "дебет", "расход",
        ]
        let receipts = [
            "bij", "c", "h", "cr", "k", "crdt", "credit", "kredit", "haben", "gutschrift", "crédit", "crédito",
            "credito", "uznanie", "avere", "+", "in", "deposit", "receipt", "paid in", "money in", "eingang",
            "einnahme",
            "zugang", "haber", "abono", "entrada", "entrata", "accredito", "entrée", "recette", "wpłata", "příjem",
            "bevétel", "jóváírás", "insättning", "pano", "kreedit", "kreditas", "кредит", "приход",
        ]
        return Dictionary(uniqueKeysWithValues: payments.map { ($0, true) } + receipts.map { ($0, false) })
    }()

    /// Parts of the words, in lower case, for lines that are not booked, or not any more.
    private static let unbooked = [
        "vorgemerkt", "vormerkung", "pending", "reverted", "declined", "cancelled", "canceled", "failed",
        "gereserveerd", "geweigerd", "geannuleerd", "rejected", "zurückgewiesen", "annulé", "anulad", "annullat",
        "anulowan", "zrušen", "avvist", "afvist", "avvisad", "hylätty",
        "in behandeling", "oczekuj", "odrzucon", "ausstehend", "abgelehnt", "en attente", "refusé", "pendiente",
        "rechazad", "in sospeso", "rifiutat", "reserverat", "reservert", "väntande", "čekající", "zamítnut", "függőben",
    ]

    /// The whole words, in lower case, that are too short to be looked for inside others.
    private static let unbookedWords: Set<String> = [
        "venter", "afventer", "avventer", "varaus", "odottaa", "reserved", "hold", "pendente", "ootel", "denied",
        "refused",
    ]

    /// The beginnings of the words, in lower case, for lines that are booked. Inside other words they may mean the
    /// opposite.
    private static let booked = [
        "booked", "posted", "complet", "cleared", "settled", "processed", "success", "approved", "accept", "execut",
        "confirmed", "reconciled", "gebucht", "verbucht", "eingebucht", "abgebucht", "erledigt", "ausgeführt",
        "geboekt", "verwerkt", "uitgevoerd",
        "exécut", "effectu", "comptabilis", "ejecutad", "contabil", "eseguit", "zaksięgowan", "zrealizowan",
        "rozliczon",
        "zúčtován", "proveden", "könyvelt", "lekönyvelt", "teljesít", "udført", "utført", "utförd", "genomförd",
        "bokförd", "bokfört", "bokført",
        "bogført", "kirjattu", "toteutunut", "проведен", "исполнен",
    ]

    /// The words, in lower case, that deny the others, or leave them to the future or to a part.
    private static let denials: Set<Substring> = [
        "not", "no", "non", "never", "cannot", "isn", "wasn", "hasn", "yet", "be", "being", "will",
        "awaiting", "waiting", "partly", "partial", "partially", "without", "nicht", "noch", "nie", "kein", "keine",
        "wird", "werden", "teilweise", "niet", "nog", "geen", "wordt", "worden", "deels", "pas", "jamais", "sera",
        "cours", "à", "sans", "sin", "será", "por", "da", "senza", "sarà", "não", "nao", "sem", "do", "bez",
        "zostanie", "ne", "není", "nebylo", "bude", "k", "ke", "nem", "nincs", "ikke", "ikkje", "ej", "inte", "skal",
        "ska", "vil", "bli", "blir", "bliver", "delvis", "delvist", "ei", "ole", "osittain", "не", "нет", "будет",
    ]

    /// Returns whether a line of this status does not count in the account.
    static func isUnbooked(_ status: String) -> Bool {
        let lower = status.lowercased()
        return !lower.isEmpty && (unbookedWords.contains(lower) || unbooked.contains { lower.contains($0) })
    }

    /// Returns whether a word says that the line counts in the account.
    static func isBooked(_ status: String) -> Bool {
        let lower = status.lowercased()
        guard !isUnbooked(status) else { return false }
        let words = lower.split { !$0.isLetter }
        return ["done", "ok", "paid"].contains(lower)
            || !words.contains(where: denials.contains)
                && words.contains { word in booked.contains { word.hasPrefix($0) } }
    }

    /// The columns' places, from 0, when all are given by number.
    var places: [Role: Int]? {
        let places = names.compactMapValues { CalendarDay.number($0.utf8) }
        return places.count == names.count && places.values.allSatisfy { $0 >= 1 } ? places.mapValues { $0 - 1 } : nil
    }

    /// The titles that a header has to have; none when the columns are given by number.
    var titles: [String] { places == nil ? Array(names.values) : [] }

    /// Returns the columns of a text that is a CSV file of this module; nil for any other text.
    static func own(of text: String) -> CSVColumns? {
        // Files of earlier versions have no details.
        for roles in [ownRoles, ownRoles.dropLast()] where text.hasPrefix(roles.map(\.rawValue).joined(separator: ","))
        {
            return CSVColumns(
                names: Dictionary(uniqueKeysWithValues: roles.map { ($0, $0.rawValue) }), decimalMark: ".")
        }
        return nil
    }

    /// The columns of the CSV files that this module writes.
    static let ownRoles: [Role] = [
        .id, .account, .booked, .valued, .amount, .currency, .counterparty, .counterpartyAccount, .purpose,
        .bankReference, .payerReference, .code, .details,
    ]

    private init(names: [Role: String], decimalMark: Character) {
        (self.names, signs, self.decimalMark) = (names, [:], decimalMark)
    }
}
