import Foundation
import Messages
import Signer

/// The broker's verdict on a delivery whose signature and digest are correct.
public enum DeliveryVerdict: Sendable, Hashable {
    case accepted
    /// The request was completed before, with exactly this manifest.
    case duplicate
    /// The request is unknown or in another state, or the nonce was used.
    case refused(String)
}

/// The broker's verdict on the end of several documents.
public enum ClosingVerdict: Sendable, Hashable {
    case accepted
    /// The request was ended before, by exactly this closing manifest.
    case duplicate
    /// Documents that it names have not arrived yet.
    case waiting
    case refused(String)
}

/// A refused delivery. The request stays as it is, unless the refusal is final.
public struct DeliveryRejection: Sendable, Hashable {
    /// The manifest's file name.
    public let name: String
    /// Nil when the manifest was not authentic.
    public let requestID: RequestID?
    /// The request that the manifest claims to be about, authentic or not.
    public var claimedRequestID: RequestID?
    public let reason: String
    /// The device that runs the request has signed for bytes that cannot be a statement.
    public var isFinal = false
    /// The number of its files that were removed without a copy for the owner.
    public var uncopied = 0
    /// The number of files of older refused deliveries that were removed to make room.
    public var discarded = 0
}

/// A file that lay in the inbox without the rest of its delivery, and that went after its request had ended: a manifest without
/// what it describes, a file without a manifest, or a temporary one. A phone has left it, or a broker that was killed while it
/// cleared away what it had taken.
public struct DeliveryRemains: Sendable, Hashable {
    /// The file's name.
    public let name: String
    /// The request that the name says.
    public let requestID: RequestID
    /// The one of several documents that the name says; nil for a statement.
    public var document: DocumentID?
    /// The number of files of older refused deliveries that were removed to make room.
    public let discarded: Int
}

/// Knows which requests wait for a delivery, and records their completion.
public protocol DeliveryLedger: Sendable {
    /// Judges a delivery by its manifest, before its PDF is stored. Changes nothing.
    func verdict(on manifest: VerifiedManifest) async throws -> DeliveryVerdict

    /// Records a verified delivery and completes its request, durably, or refuses it.
    ///
    /// - Parameter storedPDF: the broker's own copy, the one that was hashed.
    func accept(_ manifest: VerifiedManifest, storedPDF: URL) async throws -> DeliveryVerdict

    /// Ends a request for several documents, durably, when all that the closing manifest names are there.
    func close(_ closing: VerifiedClosing) async throws -> ClosingVerdict

    /// Called once for each refused delivery.
    func rejected(_ rejection: DeliveryRejection) async

    /// Called when a delivery cannot be taken now, because a disk or the database fails; once for each reason. It stays in the
    /// inbox, and the next scan tries again.
    func postponed(_ name: String, because error: any Error) async

    /// Returns whether this ledger knows a request and will never again accept a delivery of a file for it.
    ///
    /// False is the careful answer: what lies in the inbox for an unknown request may be for another broker, and stays.
    ///
    /// - Parameter document: the one of several documents that the file is by its name; nil for a statement.
    func hasEnded(_ request: RequestID, document: DocumentID?) async throws -> Bool

    /// Called for each file that was left of a delivery and went because its request had ended.
    func tookAway(_ remains: DeliveryRemains) async

    /// Called when the inbox goes away, as with the disk that it is on, and when it is back.
    func inboxChanged(isThere: Bool) async
}

extension DeliveryLedger {
    public func inboxChanged(isThere: Bool) async {}

    public func postponed(_ name: String, because error: any Error) async {}

    /// Lets everything that lies in the inbox stay, for a ledger that does not say which requests have ended.
    public func hasEnded(_ request: RequestID, document: DocumentID?) async throws -> Bool { false }

    public func tookAway(_ remains: DeliveryRemains) async {}

    /// Refuses, for a ledger that knows single statements only.
    public func close(_ closing: VerifiedClosing) async throws -> ClosingVerdict {
        .refused("no request for several documents is known")
    }
}
