import Clocks
import Foundation
import Messages

/// A verified document of a completed request, to be filed with the owner's documents.
public struct AcceptedDocument: Sendable, Hashable {
    public let requestID: RequestID
    /// The broker's own copy, which stays.
    public let file: URL
    /// The digest that the manifest was signed for, lower-case hex.
    public let sha256: String
    public let bankID: String
    /// The document's account, month and kind. A statement is a PDF of no named account.
    public let place: DocumentPlace

    public var period: MonthYear { place.period }
}

/// Files documents where their owner looks for them, such as an archive.
///
/// The broker's own copy and the request's state do not depend on it.
public protocol DocumentFiler: Sendable {
    /// Files a document. It may be called again with the same document, when the broker was stopped before it could record
    /// the filing.
    ///
    /// - Throws: any error. The broker records it, and offers the document again at its next start.
    func file(_ document: AcceptedDocument) async throws
}
