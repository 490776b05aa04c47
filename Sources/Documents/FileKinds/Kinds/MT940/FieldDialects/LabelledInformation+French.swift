extension LabelledInformation {
    /// Switzerland in French.
    ///
    /// Source: the texts of PostFinance's bookings, `CRÉDIT … DONNEUR D'ORDRE: … COMMUNICATIONS: …`.
    static let french = Dialect(
        names: ["DONNEUR D'ORDRE", "EXPÉDITEUR", "EXPEDITEUR", "BÉNÉFICIAIRE", "BENEFICIAIRE"],
        accounts: ["COMPTE", "IBAN"], purposes: ["COMMUNICATION", "COMMUNICATIONS", "MOTIF DU PAIEMENT", "MOTIF"],
        references: ["RÉFÉRENCE", "REFERENCE", "RÉFÉRENCES", "REFERENCES"], others: ["BIC", "FRAIS"])
}
