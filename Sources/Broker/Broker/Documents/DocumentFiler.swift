import Clocks
import Foundation
import Messages

/// A verified document of a completed request, to be filed with the owner's documents.
package struct AcceptedDocument: Sendable, Hashable {
    package let requestID: RequestID
    /// The broker's own copy, which stays.
    package let file: URL
    /// The digest that the manifest was signed for, lower-case hex.
    package let sha256: String
    package let bankID: String
    /// The document's account, month and kind. A statement is a PDF of no named account.
    package let place: DocumentPlace

    package var period: MonthYear { place.period }
}

/// Files documents where their owner looks for them, such as an archive.
///
/// The broker's own copy and the request's state do not depend on it.
package protocol DocumentFiler: Sendable {
    /// Files a document. It may be called again with the same document, when the broker was stopped before it could record
    /// the filing.
    ///
    /// - Throws: ``PassingFilingFailure`` when the place is away or full for now: the broker offers the document again after a
    ///   pause. After any other error it offers the document again at its next start. It records both.
    func file(_ document: AcceptedDocument) async throws

    /// The folder that holds filed documents now; nil without one. The broker remembers it, so that an empty folder in its place
    /// is not taken for a new one at the next start.
    var folderWithDocuments: String? { get async }
}

extension DocumentFiler {
    package var folderWithDocuments: String? { nil }
}

/// A failure to file a document that may pass by itself, or by what a person does about a disk.
package struct PassingFilingFailure: Error, Sendable, CustomStringConvertible {
    /// The failure and its remedy.
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
