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

/// Knows which requests wait for a delivery, and records their completion.
public protocol DeliveryLedger: Sendable {
    /// Judges a delivery by its manifest, before its PDF is stored. Changes nothing.
    func verdict(on manifest: VerifiedManifest) async throws -> DeliveryVerdict

    /// Records a verified delivery and completes its request, durably, or refuses it.
    ///
    /// - Parameter storedPDF: the broker's own copy, the one that was hashed.
    func accept(_ manifest: VerifiedManifest, storedPDF: URL) async throws -> DeliveryVerdict

    /// Called once for each refused delivery.
    func rejected(_ rejection: DeliveryRejection) async
}
