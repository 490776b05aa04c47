extension FileKind {
    package static let csv = FileKind(
        "csv", words: "a CSV file",
        // Only a file that this module wrote has a mark.
        isMarked: { CSVReader.isOwn($0.text) },
        check: { bytes, isExpected, _ throws(FileRefusal) in
            Findings(notes: try CSVTable.check(bytes, isExpected: isExpected))
        },
        bookings: BookingsFormat(read: CSVReader.read, hasEnd: { _, _ in true }, statesDays: false))
}
