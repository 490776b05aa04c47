/// Which column of a CSV file holds what: banks' files differ in everything but their commas.
public struct CSVColumns: Sendable, Hashable {
    /// A use of a column. The raw value is the name in a declaration and in this module's own CSV files.
    public enum Role: String, Sendable, Hashable, CaseIterable {
        case id, account, booked, valued, amount, debit, credit, currency, counterparty
        case counterpartyAccount = "counterparty_account"
        case purpose
        case bankReference = "bank_reference"
        case payerReference = "payer_reference"
        case code
    }

    /// The columns' names in the file's header.
    public let names: [Role: String]
    /// Found out from the amounts when nil, if it can be.
    public var decimalMark: Character?

    /// Reads a declaration such as `booked=Buchungstag,amount=Betrag,purpose=Verwendungszweck`.
    ///
    /// - Throws: ``ReadingError`` for an unknown role, a role twice, and a declaration without date or amount.
    public init(_ declaration: String) throws(ReadingError) {
        var names: [Role: String] = [:]
        for part in declaration.split(separator: ",") {
            let sides = part.split(separator: "=", maxSplits: 1).map(\.folded)
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
        guard names[.booked] != nil, names[.amount] != nil || names[.debit] != nil && names[.credit] != nil else {
            throw ReadingError(
                .ambiguous, "the columns need booked, and either amount or both debit and credit")
        }
        self.names = names
    }

    /// The columns of the CSV files that this module writes.
    static let own = CSVColumns(
        names: Dictionary(uniqueKeysWithValues: ownRoles.map { ($0, $0.rawValue) }), decimalMark: ".")

    static let ownRoles: [Role] = [
        .id, .account, .booked, .valued, .amount, .currency, .counterparty, .counterpartyAccount, .purpose,
        .bankReference, .payerReference, .code,
    ]

    private init(names: [Role: String], decimalMark: Character) {
        (self.names, self.decimalMark) = (names, decimalMark)
    }
}
