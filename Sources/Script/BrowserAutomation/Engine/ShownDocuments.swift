import Automation

/// The documents that pages have shown since a download began.
struct ShownDocuments {
    private static let lost = EngineError(
        .other,
        "the page shows a document at an address that it makes itself, and takes the address back before the document can be read; "
            + "write `download: { request: … }` with what the page asks for")

    private var seen: Set<String>
    /// Those that the page could not read.
    private var unread: Set<String> = []
    /// Those that the browser was asked to save, which it is once.
    private var triedToSave: Set<String> = []
    /// Those whose download the engine began, so that it is not the page's own.
    private(set) var ownDownloads: Set<String> = []
    /// Why the last one that could not be had was not: it was gone before it could be read, or is at an origin that the script does
    /// not name. Another document may still come.
    private(set) var obstacle: (any Error)?

    /// - Parameter documents: those that the page shows already.
    init(before documents: [String: Bool]) {
        seen = Set(documents.keys)
    }

    /// Returns the address of a document that is new, or that turns out to be one; nil without any.
    func next(of documents: [String: Bool]) -> (address: String, isPDF: Bool)? {
        documents.first { address, isPDF in
            !seen.contains(address) || isPDF && unread.contains(address) && !triedToSave.contains(address)
        }.map { ($0.key, $0.value) }
    }

    mutating func noteLoss() { obstacle = Self.lost }

    mutating func note(_ address: String, isRead: Bool) {
        seen.insert(address)
        if !isRead { unread.insert(address) }
    }

    mutating func noteSaving(_ address: String) {
        triedToSave.insert(address)
        ownDownloads.insert(address)
    }

    /// Notes that the browser began no download: one of this address that comes later counts.
    mutating func noteNothingSaved(_ address: String) { ownDownloads.remove(address) }

    mutating func note(_ obstacle: any Error) { self.obstacle = obstacle }
}
