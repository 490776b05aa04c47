extension FileKind {
    /// One page, which is kept without its scripts.
    package static let html = FileKind(
        "html", words: "an HTML page",
        isMarked: { $0.isMarkup && ($0.holds("<!doctype html") || $0.holds("<html")) },
        check: { bytes, _, _ throws(FileRefusal) in Findings(cleaned: try CleanPage.make(of: bytes)) },
        text: { bytes, _ throws(FileRefusal) in try CleanPage.text(bytes) })
}
