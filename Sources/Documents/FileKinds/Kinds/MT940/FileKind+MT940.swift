extension FileKind {
    /// MT940 statements and MT942 reports.
    package static let mt940: FileKind = FileKind(
        "mt940", words: "an MT940 file",
        isMarked: { start in
            guard !start.isMarkup else { return false }
            if start.text.hasPrefix("{1:") || start.text.hasPrefix("@@:20:") { return true }
            let lines = start.text.split(whereSeparator: \.isNewline).prefix(30)
            return lines.lazy.map { $0.drop { $0 == "-" || $0 == " " } }
                .contains { $0.hasPrefix(":20:") || $0.hasPrefix(":25:") }
        },
        check: { bytes, _, _ throws(FileRefusal) in try mt940Bookings.check(bytes, as: .mt940) },
        bookings: mt940Bookings)

    private static let mt940Bookings = BookingsFormat(
        read: SWIFTReader.read,
        // A file that ends inside a line lacks its end; the last line of a message is a dash, or has an end.
        hasEnd: { _, text in
            text.ends(withMark: "-") || text.ends(withMark: "-}") || text.last?.isNewline == true
        })
}
