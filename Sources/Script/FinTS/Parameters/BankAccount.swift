/// An account of the user at the bank.
package struct BankAccount: Sendable, Hashable {
    /// Empty for an account that has none, such as a deposit of securities.
    package var iban: String
    package var bic: String
    package var number: String
    package var subAccount: String
    package var bankCode: String
    /// The bank's name of the product, such as `Girokonto`; empty when the bank gives none.
    package var product: String
    package var currency: String
    /// The jobs that the user may ask for with this account; nil when the bank does not say it.
    package var jobs: Set<String>?

    package init(
        iban: String, bic: String, number: String, subAccount: String, bankCode: String, product: String = "",
        currency: String = "", jobs: Set<String>? = nil
    ) {
        self.iban = iban
        self.bic = bic
        self.number = number
        self.subAccount = subAccount
        self.bankCode = bankCode
        self.product = product
        self.currency = currency
        self.jobs = jobs
    }

    /// The account as the bank's customers would write it. It may hold the account's number.
    package var name: String { [product, iban.isEmpty ? number : iban].filter { !$0.isEmpty }.joined(separator: " ") }

    /// The account in the national form (“Kontoverbindung”): number, part, country, bank code. 280 stands for Germany.
    var national: ElementGroup { [.word(number), .word(subAccount), .text("280"), .word(bankCode)] }

    /// The account in the international form (“Kontoverbindung international”).
    ///
    /// - Parameter national: false where the bank takes IBAN and BIC alone (HISPAS, “Nationale Kontoverbindung erlaubt”).
    func international(withNational national: Bool) -> ElementGroup {
        [.word(iban), .word(bic)] + (national ? self.national : [])
    }
}
