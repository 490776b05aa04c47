import Messages

/// A kind of files that banks offer as documents, with what is known of it. Each kind is one value, in a folder of `Kinds`.
package struct FileKind: Sendable {
    /// The results of the check of a whole file.
    struct Findings {
        /// The oddities, each as a sentence.
        var notes: [String] = []
        /// The bytes to keep instead of the file's.
        var cleaned: [UInt8]?
    }

    /// The name in messages, in the archive's index and on the command line.
    package let rawValue: String
    /// The kind with its article, for sentences.
    package let words: String
    /// Returns whether a file shows by its content that it is of this kind.
    let isMarked: @Sendable (FileStart) -> Bool
    /// Checks that a file is whole. The second argument is false for text that may be of this kind only because it is of no
    /// other.
    let check: @Sendable ([UInt8], Bool, FileLimits) throws(FileRefusal) -> Findings
    /// Returns the text for an index; what is beyond so many bytes is cut off later.
    let text: @Sendable ([UInt8], Int) throws(FileRefusal) -> String
    /// The way to read bookings; nil for a kind without them.
    let bookings: BookingsFormat?
    /// True when transactions can be read from files of this kind, or from files in them.
    package let hasTransactions: Bool

    init(
        _ name: String, words: String, isMarked: @escaping @Sendable (FileStart) -> Bool,
        check: @escaping @Sendable ([UInt8], Bool, FileLimits) throws(FileRefusal) -> Findings,
        text: @escaping @Sendable ([UInt8], Int) throws(FileRefusal) -> String = FileText.decoded,
        bookings: BookingsFormat? = nil, holdsTransactions: Bool = false
    ) {
        (rawValue, self.words, self.isMarked, self.check, self.text) = (name, words, isMarked, check, text)
        (self.bookings, hasTransactions) = (bookings, bookings != nil || holdsTransactions)
    }

    /// The kind of a document; nil for an archive, which holds documents.
    package var document: DocumentKind? { DocumentKind(rawValue: rawValue) }

    /// The media type (RFC 6838) of files of this kind.
    package var mediaType: String { document?.mediaType ?? "application/zip" }

    /// The ending of file names, without the full stop.
    package var fileExtension: String { document?.fileExtension ?? rawValue }
}

extension FileKind: CaseIterable {
    /// Every kind, in the order in which their marks are looked for: the first that a file shows is its kind. Marks of the first
    /// bytes come before those of the text, and of these the surer ones.
    static let byMark: [FileKind] = [.pdf, .xlsx, .zip, .html, .ofx, .camt, .qif, .csv, .mt940, .json]

    /// Every kind: the ones of documents in their order, then an archive.
    package static let allCases = DocumentKind.allCases.map { FileKind($0) } + byMark.filter { $0.document == nil }

    /// The kind of file that documents of a kind are: the one with the same name.
    package init(_ kind: DocumentKind) {
        guard let named = FileKind(rawValue: kind.rawValue) else {
            preconditionFailure("documents can be “\(kind.rawValue)”; add that kind of files to FileKind.byMark")
        }
        self = named
    }
}

extension FileKind: RawRepresentable, Hashable, Comparable, CustomStringConvertible {
    package init?(rawValue: String) {
        guard let kind = Self.byMark.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = kind
    }

    package var description: String { rawValue }

    package static func == (left: FileKind, right: FileKind) -> Bool { left.rawValue == right.rawValue }

    package static func < (left: FileKind, right: FileKind) -> Bool { left.rawValue < right.rawValue }

    package func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}
