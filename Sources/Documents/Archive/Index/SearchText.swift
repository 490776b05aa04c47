/// Words to search for, as a person types them, in the form that FTS5 reads.
///
/// All words have to occur. Quotation marks keep words together, and a word that ends with `*` stands for every word that
/// begins so. Nothing else has a meaning: `AND`, `-` and brackets are text.
struct SearchText: Sendable {
    let expression: String

    /// - Throws: ``ArchiveError`` for a text without a letter or digit, or with more than 32 words.
    init(_ text: String) throws(ArchiveError) {
        var phrases: [String] = []
        for (index, quoted) in text.split(separator: "\"", omittingEmptySubsequences: false).enumerated() {
            // Every second part stands between quotation marks.
            let parts = index.isMultiple(of: 2) ? quoted.split(whereSeparator: \.isWhitespace) : [quoted]
            for part in parts where part.contains(where: { $0.isLetter || $0.isNumber }) {
                let isStart = index.isMultiple(of: 2) && part.hasSuffix("*")
                phrases.append("\"\(part.filter { $0 != "*" && $0 != "\0" })\"" + (isStart ? "*" : ""))
            }
        }
        guard (1...32).contains(phrases.count) else {
            throw ArchiveError(.invalid, "give one to 32 words to search for, such as: insurance 2025")
        }
        expression = phrases.joined(separator: " ")
    }
}
