import Machine

extension FileKind {
    package static let pdf = FileKind(
        "pdf", words: "a PDF",
        isMarked: { $0.isPDF },
        check: { bytes, _, _ throws(FileRefusal) in
            let end = PDFFrame.end(of: bytes)
            let frame = PDFFrame(first: Array(bytes.prefix(2048)), last: Array(bytes[..<end].suffix(2048)))
            guard let problem = frame.problem else { return Findings() }
            throw FileRefusal(.damaged, "\(problem); the PDF is cut off or damaged, so download it again")
        },
        // Another program reads it.
        text: { _, _ in "" })
}
