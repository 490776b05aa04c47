extension FileKind {
    package static let xlsx = FileKind(
        "xlsx", words: "a spreadsheet (XLSX)",
        isMarked: { $0.entries?.contains(Workbook.mainPart) == true },
        check: { bytes, _, limits throws(FileRefusal) in
            try Workbook.check(bytes, limits: limits)
            return Findings()
        },
        text: Workbook.text,
        // Its table is read like CSV.
        holdsTransactions: true)
}
