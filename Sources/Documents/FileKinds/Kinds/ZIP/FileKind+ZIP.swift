extension FileKind {
    package static let zip = FileKind(
        "zip", words: "a ZIP archive",
        isMarked: { $0.entries != nil },
        check: { bytes, _, limits throws(FileRefusal) in
            try ZIPEntries(bytes, limits: limits).check()
            return Findings()
        },
        text: { bytes, _ in ZIPEntries.names(in: bytes).joined(separator: "\n") },
        holdsTransactions: true)
}
