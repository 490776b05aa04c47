import Foundation
import Machine
import TestSupport
import Testing

@testable import DeviceTrust

@Suite("The libraries of in-toto read a receipt", .needsPeers)
struct ReceiptPeerTests {
    @Test("verify its signatures, and refuse each changed byte")
    func verifies() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let stage = ReceiptStage()
        let file = folder.appending("receipt.json")
        try AtomicFile.write(try SignedReceipt(await stage.receipt(), with: stage.key).file, to: file)
        let result = try await Peers.run(script: "receipt.py", [file.path])
        #expect(result.status == 0, "\(result.text)")
        #expect(result.text.contains("verified 2 subjects, 2 approvals"), "\(result.text)")
        #expect(result.text.contains("accepted after a change: 0 of "), "\(result.text)")
    }
}
