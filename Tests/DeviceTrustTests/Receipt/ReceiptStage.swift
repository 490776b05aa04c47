import Clocks
import Encodings
import Foundation
import Messages

@testable import DeviceTrust

/// A completed request for two documents, which two devices approved.
struct ReceiptStage {
    let server = ServerID()
    let key = ReceiptKey()
    let devices = [VaultDeviceKey(), VaultDeviceKey()]
    var envelope: RequestEnvelope
    private let kind: DocumentKind

    /// - Parameter kind: the kind of both documents.
    init(_ kind: DocumentKind = .pdf) {
        self.kind = kind
        let selection = DocumentSelection(
            periods: [MonthYear(month: 1, year: 2026)!, MonthYear(month: 2, year: 2026)!], kinds: [kind])!
        envelope = RequestEnvelope(
            bankID: "default", subject: .documents(selection), issuedAt: Timestamp("2026-11-21T10:00:00.000Z")!,
            approvalExpiresAt: Timestamp("2026-11-21T10:05:00.000Z")!, client: AgentName("tax"),
            reason: AgentReason("the tax “return”\nof 2026"))
    }

    /// - Parameter approved: the envelope that the devices approved; nil for the receipt's.
    func receipt(approving approved: RequestEnvelope? = nil) async throws -> Receipt {
        var approvals: [Receipt.Approval] = []
        for device in devices {
            var seen = approved ?? envelope
            // Each device gets a nonce of its own.
            seen.nonce = Nonce()
            let summary = ApprovalSummary(
                envelope: seen, deviceID: DeviceID(), script: String(repeating: "5c", count: 32),
                verifiedBy: [.passkey])
            let signed = try await summary.signed(for: server, with: device)
            approvals.append(
                Receipt.Approval(
                    key: device.publicKey, receivedAt: Timestamp("2026-11-21T10:01:00.000Z")!, summary: summary.json,
                    signature: signed.signature))
        }
        let documents = [1, 2].map { month in
            let place = DocumentPlace(
                account: AccountAlias("Savings"), period: MonthYear(month: month, year: 2026)!, kind: kind)
            return Receipt.Document(
                id: DocumentID(bankID: "default", place), place: place,
                sha256: String(repeating: "0\(month)", count: 32),
                isEarlier: month == 2)
        }
        return Receipt(
            server: server, envelope: envelope, completedAt: Timestamp("2026-11-21T10:03:00.000Z")!,
            approvals: approvals, documents: documents)
    }
}
