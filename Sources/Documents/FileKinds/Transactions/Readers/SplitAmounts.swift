/// Amounts that a comma has cut into two fields: `2025-03-03,-12,50,SHOP`, or `-1,250.00` without quotation marks.
///
/// Such a line has one field more than it should. It is not seen where the line lacks another field, as its last one.
struct SplitAmounts {
    /// The line of the first amount that may go on in the next field; nil without any.
    let line: Int?

    /// - Parameters:
    ///   - places: the columns of amounts.
    ///   - known: the columns of other figures, such as balances, which may follow an amount.
    init(_ records: [CSVRecords.Record], places: [Int], known: Set<Int>) {
        for place in places where !known.contains(place + 1) {
            // An amount with a sign goes on only where a comma in a text has moved it.
            var (first, moved): (Int?, Int?)
            var (hasOthers, hasTexts) = (false, false)
            for record in records where record.fields.count > place + 1 {
                let next = record.fields[place + 1].folded
                if Self.isWhole(record.fields[place].folded), Self.mayGoOn(next) {
                    if next.utf8.first.map({ (0x30...0x39).contains($0) }) == true {
                        first = first ?? record.line
                    } else {
                        moved = moved ?? record.line
                    }
                } else if !next.isEmpty {
                    hasOthers = true
                    // In a column of figures, these are figures of their own.
                    if WrittenAmount(next) == nil { hasTexts = true }
                }
            }
            let starts = [hasTexts || !hasOthers ? first : nil, hasTexts ? moved : nil].compactMap(\.self)
            if let start = starts.min() {
                line = start
                return
            }
        }
        line = nil
    }

    /// Returns whether a text is a number without a mark.
    private static func isWhole(_ text: String) -> Bool {
        let digits = text.utf8.first.map { $0 == 0x2D || $0 == 0x2B } == true ? text.utf8.dropFirst() : text.utf8[...]
        return !digits.isEmpty && digits.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// Returns whether a text may be the cents of an amount, or what follows its thousands.
    private static func mayGoOn(_ text: String) -> Bool {
        let isDigits = text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        if isDigits { return text.utf8.count == 2 }
        guard let point = text.utf8.firstIndex(of: UInt8(ascii: ".")) else { return false }
        return text.utf8.distance(from: point, to: text.utf8.endIndex) == 3 && WrittenAmount(text) != nil
    }
}
