import BrokerStore
import Clocks
import DeviceTrust
import Foundation
import Hummingbird
import Messages

/// The route on which an agent gets the receipt of a request of its own that is complete.
struct ReceiptAPI: Sendable {
    let store: RequestStore
    let receipts: ReceiptStore
    let sealing: Sealing
    let server: ServerID

    func addRoute(to router: some RouterMethods<BrokerContext>) {
        router.get("request/:id/receipt") { _, context in
            try await receipt(of: try context.requestID(), for: try context.callingAgent())
        }
    }

    private func receipt(of id: RequestID, for agent: AgentName) async throws -> Response {
        guard let record = try await store.request(id), record.agent == agent else { throw APIError.unknownRequest }
        guard record.status == .completed, let completed = record.completedAt.flatMap({ Timestamp($0) }) else {
            throw APIError.conflict(with: record.status)
        }
        let receipt = Receipt(
            server: server, envelope: try record.envelope(nonce: Nonce()), completedAt: completed,
            approvals: try await receipts.approvals(of: id), documents: try await receipts.documents(of: record))
        return .json(try SignedReceipt(receipt, with: try await receipts.key(sealing)).json)
    }
}
