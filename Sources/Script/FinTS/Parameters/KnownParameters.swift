/// The parameters that a bank sent at an earlier visit. A later visit names their versions (HKVVB), and the bank sends those
/// that have changed since with its answer (FinTS 3.0, Formals, chapter C, initialisation), so it need not be asked before.
package struct KnownParameters: Sendable {
    package let bank: BankParameters
    package let user: UserParameters
    /// The bank's list of the user's SEPA accounts (HISPA); empty where it was not asked for.
    package let accountList: [Segment]

    /// The longest text that is kept, in characters. Banks send some ten thousand.
    package static let longest = 96 << 10

    package init(bank: BankParameters, user: UserParameters, accountList: [Segment]) {
        self.bank = bank
        self.user = user
        self.accountList = accountList
    }

    /// Reads what ``text`` wrote; nil for anything else.
    package init?(_ text: String) {
        guard text.utf8.count <= 2 * Self.longest, let bytes = Latin1.bytes(of: text),
            let segments = try? SegmentReader.segments(of: bytes)
        else { return nil }
        var bank = BankParameters()
        var user = UserParameters()
        guard (try? bank.take(segments)) != nil, (try? user.take(segments)) != nil, bank.version > 0,
            !bank.bankCode.isEmpty
        else { return nil }
        self.init(bank: bank, user: user, accountList: segments.filter { $0.code == "HISPA" })
    }

    /// The parameters as the segments in which the bank sent them; nil before any came, and for more than are kept.
    package var text: String? {
        guard bank.version > 0, let bytes = try? SegmentWriter.bytes(of: bank.segments + user.segments + accountList),
            bytes.count <= Self.longest
        else { return nil }
        return Latin1.text(bytes)
    }
}
