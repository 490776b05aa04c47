/// The parameters of a user (FinTS 3.0, Formals, chapter E: UPD): the accounts, and the jobs that each allows.
package struct UserParameters: Sendable {
    package private(set) var version = 0
    package private(set) var accounts: [BankAccount] = []
    /// The segments that the parameters came in.
    private(set) var segments: [Segment] = []

    package init() {}

    /// Takes the parameters from a message; keeps these when it has none.
    package mutating func take(_ segments: [Segment]) throws(FinTSFailure) {
        let heads = segments.filter { $0.code == "HIUPA" }
        guard heads.count <= 1 else { throw FinTSFailure(.garbled, "the bank sent the user's parameters twice") }
        guard let head = heads.first else { return }
        guard let version = head.element(2).number else {
            throw FinTSFailure(.garbled, "the user's parameters have no version")
        }
        self.version = version
        let listed = segments.filter { $0.code == "HIUPD" && (4...6).contains($0.version) }
        accounts = listed.compactMap(Self.account)
        self.segments = [head] + listed
    }

    private static func account(_ segment: Segment) -> BankAccount? {
        let place = segment.group(1)
        // Version 4 has neither IBAN nor kind of account (HBCI 2.2).
        guard segment.version == 6 else {
            return BankAccount(
                iban: "", bic: "", number: place.element(1).text ?? "", subAccount: place.element(2).text ?? "",
                bankCode: place.element(4).text ?? "")
        }
        let allowed = segment.groups.dropFirst(9).compactMap { group -> String? in
            guard let job = group.element(1).text, job.utf8.count == 5, job.hasPrefix("HK") else { return nil }
            return job
        }
        let account = BankAccount(
            iban: segment.element(2).text ?? "", bic: "", number: place.element(1).text ?? "",
            subAccount: place.element(2).text ?? "", bankCode: place.element(4).text ?? "",
            product: segment.element(8).text ?? "", currency: segment.element(5).text ?? "",
            jobs: allowed.isEmpty ? nil : Set(allowed))
        return account.iban.isEmpty && account.number.isEmpty ? nil : account
    }

    /// Takes IBAN and BIC from the bank's list of SEPA accounts (HISPA).
    package mutating func merge(_ listed: [BankAccount]) {
        for account in listed {
            let known = accounts.firstIndex {
                !$0.iban.isEmpty && $0.iban == account.iban
                    || $0.iban.isEmpty && $0.number == account.number && $0.bankCode == account.bankCode
            }
            guard let known else {
                accounts.append(account)
                continue
            }
            var merged = account
            merged.product = accounts[known].product
            merged.currency = accounts[known].currency
            merged.jobs = accounts[known].jobs
            if merged.number.isEmpty {
                merged.number = accounts[known].number
                merged.subAccount = accounts[known].subAccount
                merged.bankCode = accounts[known].bankCode
            }
            accounts[known] = merged
        }
    }
}
