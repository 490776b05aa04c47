import Messages
import Synchronization

/// A kind of files that banks offer as documents, with what is known of it. Each kind is one value, in a folder of `Kinds` or in
/// a package of its own.
public struct FileKind: Sendable {
    /// The results of the check of a whole file.
    struct Findings {
        /// The oddities, each as a sentence.
        var notes: [String] = []
        /// The bytes to keep instead of the file's.
        var cleaned: [UInt8]?
    }

    /// The origin of a kind that is plugged in.
    package struct Origin: Sendable {
        /// The version that its author gives; nil when none is given.
        package let version: String?
        /// The module whose code made it, and the file there, such as `MyBank/MyExport.swift`.
        package let file: String

        var module: Substring { file.prefix { $0 != "/" } }
    }

    /// The name in messages, in the archive's index and on the command line.
    public let rawValue: String
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
    /// The kind of a document; nil for an archive, which holds documents.
    package let document: DocumentKind?
    /// Nil for a kind that ships.
    package let origin: Origin?

    init(
        _ name: String, words: String, isMarked: @escaping @Sendable (FileStart) -> Bool,
        check: @escaping @Sendable ([UInt8], Bool, FileLimits) throws(FileRefusal) -> Findings,
        text: @escaping @Sendable ([UInt8], Int) throws(FileRefusal) -> String = FileText.decoded,
        bookings: BookingsFormat? = nil, holdsTransactions: Bool = false
    ) {
        (rawValue, self.words, self.isMarked, self.check, self.text) = (name, words, isMarked, check, text)
        (self.bookings, hasTransactions) = (bookings, bookings != nil || holdsTransactions)
        document = DocumentKind.standard.first { $0.rawValue == name }
        origin = nil
    }

    /// Describes a kind of files for a program of your own.
    ///
    /// What it is given reads a stranger's bytes, in a process without rights: it opens no file and no connection, and
    /// prints nothing. That process has two minutes for a file.
    ///
    /// - Parameters:
    ///   - document: the name, the media type and the ending.
    ///   - words: the kind with its article, for sentences, such as `a Quayside export`.
    ///   - isMarked: returns whether a file shows by its first bytes that it is of this kind. Files that ask for a kind that
    ///     ships are looked at without it.
    ///   - check: checks that a file is whole, and returns its oddities, each as a sentence. A file that is cut off has to be
    ///     refused.
    ///   - text: returns the text for an index; without it, the file's own.
    ///   - transactions: reads the statements of a whole file; nil for a kind without bookings. The days of its bookings say
    ///     of which months the file is.
    public init(
        _ document: DocumentKind, words: String, version: String? = nil, in file: String = #fileID,
        isMarked: @escaping @Sendable (FileStart) -> Bool,
        check: @escaping @Sendable ([UInt8]) throws(FileRefusal) -> [String],
        text: (@Sendable ([UInt8]) throws(FileRefusal) -> String)? = nil,
        transactions: (@Sendable ([UInt8]) throws(ReadingError) -> [Statement])? = nil
    ) {
        (rawValue, self.words, self.isMarked, self.document) = (document.rawValue, words, isMarked, document)
        origin = Origin(version: version, file: file)
        self.check = { bytes, _, _ throws(FileRefusal) in Findings(notes: try check(bytes)) }
        if let text {
            self.text = { bytes, _ throws(FileRefusal) in try text(bytes) }
        } else {
            self.text = FileText.decoded
        }
        bookings = transactions.map(BookingsFormat.init(ofPlugin:))
        hasTransactions = transactions != nil
    }

    /// The media type (RFC 6838) of files of this kind.
    package var mediaType: String { document?.mediaType ?? "application/zip" }

    /// The ending of file names, without the full stop.
    package var fileExtension: String { document?.fileExtension ?? rawValue }
}

extension FileKind: CaseIterable {
    /// The kinds that ship, in the order in which their marks are looked for: the first that a file shows is its kind. Marks of
    /// the first bytes come before those of the text, and of these the surer ones.
    package static let standard: [FileKind] = [.pdf, .xlsx, .zip, .html, .ofx, .camt, .qif, .csv, .mt940, .json]

    private static let plugged = Mutex<[FileKind]>([])

    /// Adds the kinds of plug-ins to those that ship. Called once, at the start of a program, before it reads a file.
    package static func plug(_ kinds: [FileKind]) {
        plugged.withLock { $0 = kinds }
        DocumentKind.plug(kinds.compactMap(\.document))
    }

    /// Every kind, in the order in which their marks are looked for. Plugged-in kinds come before the ones whose files they could
    /// be taken for, such as JSON.
    static var byMark: [FileKind] { byMark(seeking: nil) }

    /// - Parameter expected: the kind that is asked for. Where that one ships, no plug-in is asked, so that none takes its files.
    static func byMark(seeking expected: FileKind?) -> [FileKind] {
        if let expected, expected.origin == nil { return standard }
        return Array(standard.prefix(2)) + plugged.withLock(\.self) + standard.dropFirst(2)
    }

    /// Every kind: the ones of documents in their order, then an archive.
    public static var allCases: [FileKind] { DocumentKind.allCases.map { FileKind($0) } + [.zip] }

    /// The kind of file that documents of a kind are: the one with the same name.
    package init(_ kind: DocumentKind) { self = FileKind(rawValue: kind.rawValue) ?? FileKind(lacking: kind) }

    /// Returns the kind with the name that a program once kept: another one may have had a plug-in that this one lacks.
    package static func kept(_ name: String) -> FileKind {
        FileKind(rawValue: name) ?? FileKind(lacking: .kept(name))
    }

    /// A kind whose plug-in this program lacks. Its files can be listed and moved, and are not read.
    private init(lacking kind: DocumentKind) {
        let refusal = FileRefusal(
            .unread, "this program has no plug-in for files of the kind “\(kind)”; use one that has it")
        self.init(
            kind, words: "a file of the kind “\(kind)”", isMarked: { _ in false },
            check: { _ throws(FileRefusal) in throw refusal }, text: { _ throws(FileRefusal) in throw refusal })
    }
}

extension FileKind: RawRepresentable, Hashable, Comparable, CustomStringConvertible {
    public init?(rawValue: String) {
        guard let kind = Self.byMark.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = kind
    }

    public var description: String { rawValue }

    public static func == (left: FileKind, right: FileKind) -> Bool { left.rawValue == right.rawValue }

    public static func < (left: FileKind, right: FileKind) -> Bool { left.rawValue < right.rawValue }

    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}
