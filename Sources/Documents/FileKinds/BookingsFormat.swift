/// The reading of one kind of files with bookings.
struct BookingsFormat: Sendable {
    /// A content that is read like the kind, and yet is not known to be of it.
    struct Lookalike: Sendable {
        /// The content with its article, for sentences.
        let words: String
        let isMarked: @Sendable (FileStart) -> Bool
    }

    let read: @Sendable ([UInt8], ReadingOptions) throws(ReadingError) -> [Statement]
    /// Returns whether a file ends as whole files do, even where something before its end is odd. It gets the file's bytes, and
    /// the same decoded.
    let hasEnd: @Sendable ([UInt8], String) -> Bool
    /// True when files state their days in one way, so that a person need not say how they are meant.
    var statesDays = true
    /// True when files of the kind may hold other things than bookings.
    var mayHoldOther = false
    var lookalike: Lookalike?

    /// Checks that the file is whole. Whether all of its bookings can be read is another question, whose answer is a note:
    /// the person gets the document in any case, also when its bookings cannot be read.
    func check(_ bytes: [UInt8], as kind: FileKind) throws(FileRefusal) -> FileKind.Findings {
        var options = ReadingOptions()
        // A QIF file names no currency, so it is read with ISO 4217's code for none.
        options.currency = "XXX"
        options.skipsUnreadable = true
        do throws(ReadingError) {
            return FileKind.Findings(
                notes: try TransactionFile.read(bytes, as: kind, options: options).flatMap(\.notes))
        } catch {
            switch error.code {
            // The person says at the export what the format leaves open.
            case .ambiguous: return FileKind.Findings()
            case .tooLarge, .tooDeep: throw FileRefusal(.tooLarge, error.description)
            case .forbidden: throw FileRefusal(.forbidden, error.description)
            case .wrongKind where !mayHoldOther: throw FileRefusal(.wrongKind, error.description)
            case .wrongKind, .encoding, .syntax, .amount, .date, .currency:
                guard let text = try? TextDecoding.text(bytes), hasEnd(bytes, text) else {
                    throw FileRefusal(.damaged, error.description)
                }
                return FileKind.Findings(notes: ["its bookings cannot be read: \(error)"])
            }
        }
    }
}

extension BookingsFormat {
    /// The reading of a kind that is plugged in. The ids of its bookings are made here, and what cannot be a booking is refused.
    init(ofPlugin read: @escaping @Sendable ([UInt8]) throws(ReadingError) -> [Statement]) {
        self.init(
            read: { bytes, options throws(ReadingError) in
                var statements = try read(bytes)
                guard statements.reduce(0, { $0 + $1.transactions.count }) <= options.limits.transactions else {
                    throw ReadingError(.tooLarge, "more than \(options.limits.transactions) transactions")
                }
                for index in statements.indices {
                    let currencies = [statements[index].currency] + statements[index].transactions.map(\.currency)
                    if let odd = currencies.first(where: { !Statement.isCurrency($0) }) {
                        throw ReadingError(.currency, "\(ReadingError.quoted(odd)) is not a currency such as EUR")
                    }
                    statements[index].complete()
                }
                return statements
            }, hasEnd: { _, _ in true })
    }
}

extension String {
    /// Returns whether the text ends with a mark in lower case, white space and the case of letters aside.
    func ends(withMark mark: String) -> Bool {
        let end = utf8.reversed().drop { $0 <= 0x20 }
        return end.lazy.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }.starts(with: mark.utf8.reversed())
    }
}
