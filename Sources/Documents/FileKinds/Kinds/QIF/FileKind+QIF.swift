extension FileKind {
    package static let qif: FileKind = FileKind(
        "qif", words: "a QIF file",
        isMarked: { start in
            // Some programs write lines of their own before the first that begins with “!”.
            !start.isMarkup
                && start.lower.split(whereSeparator: \.isNewline).prefix(10).contains { line in
                    ["!type:", "!account", "!option:", "!clear:"].contains { line.hasPrefix($0) }
                }
        },
        check: { bytes, _, _ throws(FileRefusal) in try qifBookings.check(bytes, as: .qif) },
        bookings: qifBookings)

    private static let qifBookings = BookingsFormat(
        read: QIFReader.read,
        hasEnd: { _, text in
            text.ends(withMark: "^") || text.split(whereSeparator: \.isNewline).last?.hasPrefix("!") == true
        },
        statesDays: false,
        // An investment account is QIF, too.
        mayHoldOther: true)
}
