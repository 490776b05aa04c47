import BankScript
import Foundation
import Messages

/// A way to a bank's documents that is not its pages, such as a protocol between programs. It stands one level above
/// ``NavigationEngine``: an engine shows pages to a script's steps, and a source needs no steps.
///
/// A bank's file names it with `source:`. The source gets what was approved, and asks for credentials and second factors
/// through the same ``HostServices`` as a script. It contacts the origin of the file's address alone.
public protocol DocumentSource: Sendable {
    /// The rules for files that name the source.
    static var rule: SourceRule { get }

    /// Visits the bank once, and fetches documents. A cancelled task ends the visit at once.
    ///
    /// - Parameters:
    ///   - places: the documents. Those of one account stand together, and among them those of one month.
    ///   - names: the bank's names of accounts whose aliases the person has chosen.
    ///   - script: the bank's file, with its ``BankScript/documentSource``.
    ///   - receive: takes each document, or the reason why it is missing. What it throws ends the visit. Of several documents
    ///     that the bank has for one place, it takes those with the numbers from 2 first, and then the first one.
    /// - Throws: ``RunFailure`` with the reason why the visit ended early. Say in its ``RunFailure/hasSentCredentials`` whether
    ///   the bank may have counted a sign-in, in ``RunFailure/isSignInUnconfirmed`` whether nothing has shown that the bank took
    ///   it, and in ``RunFailure/isSignInUnanswered`` whether its answer did not come, so that the owner is asked before the
    ///   next try. A visit that is stopped and says nothing counts as one without an answer once it has got a credential.
    func fetch(
        _ places: [DocumentPlace], naming names: [AccountAlias: String], of script: BankScript,
        with services: HostServices, receive: @escaping DocumentReceiver
    ) async throws(RunFailure)
}
