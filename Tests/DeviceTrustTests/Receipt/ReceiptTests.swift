import Clocks
import Encodings
import Foundation
import Messages
import Testing

@testable import DeviceTrust

@Suite("A receipt")
struct ReceiptTests {
    private let stage = ReceiptStage()

    private func code(_ file: [UInt8], _ id: String? = nil) -> TrustError.Code? {
        do throws(TrustError) {
            _ = try VerifiedReceipt(file: file, signedBy: id)
            return nil
        } catch {
            return error.code
        }
    }

    @Test("verifies without a network, and says what the broker signed")
    func valid() async throws {
        let receipt = try await stage.receipt()
        let file = try SignedReceipt(receipt, with: stage.key).file
        let verified = try VerifiedReceipt(file: file, signedBy: stage.key.publicKey.id)
        #expect(verified.receipt == receipt && verified.key == stage.key.publicKey)
        #expect(verified.receipt.approvals.count == 2 && verified.receipt.reason == stage.envelope.reason)
        #expect(verified.receipt.documents.map(\.isEarlier) == [false, true])
        #expect(throws: Never.self) { try VerifiedReceipt(file: file) }
    }

    @Test("verifies also where the plug-in of its documents' kind is not, and with no words of a stranger's for a kind")
    func goneKind() async throws {
        let stage = ReceiptStage(.kept("gone"))
        let receipt = try await stage.receipt()
        let verified = try VerifiedReceipt(file: SignedReceipt(receipt, with: stage.key).file)
        #expect(
            verified.receipt == receipt && verified.receipt.subject.words == "2026-01 to 2026-02, gone, 2 documents")
        for name in ["Gone", "a b", "a\n2026-01", "", String(repeating: "a", count: 41)] {
            let stage = ReceiptStage(.kept(name))
            let file = try SignedReceipt(await stage.receipt(), with: stage.key).file
            #expect(code(file) == .malformed, "\(name)")
        }
    }

    @Test("is an in-toto statement about its documents")
    func statement() async throws {
        let json = try await stage.receipt().statement(signedBy: stage.key.publicKey)
        #expect(json["_type"] == "https://in-toto.io/Statement/v1")
        #expect(json["predicateType"] == "countersign://receipt/v1")
        #expect(
            json["subject"]?.arrayValue?.compactMap { $0["digest"]?["sha256"]?.stringValue }
                == [String(repeating: "01", count: 32), String(repeating: "02", count: 32)])
        #expect(json["predicate"]?["reason_untrusted"]?.stringValue == stage.envelope.reason?.text)
    }

    @Test("is refused after any change of a byte, the last line feed included")
    func bytes() async throws {
        let file = try SignedReceipt(await stage.receipt(), with: stage.key).file
        var accepted: [Int] = []
        for place in file.indices {
            for change in [UInt8(1), 0x20] {
                var changed = file
                changed[place] ^= change
                if code(changed) == nil { accepted.append(place) }
            }
        }
        #expect(accepted.isEmpty, "of \(file.count) bytes")
        #expect(code(Array(file.dropLast())) == .malformed && code(file + [0x0A]) == .malformed)
    }

    @Test("is refused when another broker signed it than the reader expects")
    func otherKey() async throws {
        let file = try SignedReceipt(await stage.receipt(), with: ReceiptKey()).file
        #expect(code(file) == nil)
        #expect(code(file, stage.key.publicKey.id) == .otherServer)
    }

    @Test("cannot claim an approval that no device gave, although the broker signs it")
    func devices() async throws {
        var other = stage.envelope
        other.subject = .statement(MonthYear(month: 3, year: 2026)!)
        var agent = stage.envelope
        agent.client = AgentName("other")
        var request = stage.envelope
        request.requestID = RequestID()
        for approved in [other, agent, request] {
            let receipt = try await stage.receipt(approving: approved)
            #expect(code(try SignedReceipt(receipt, with: stage.key).file) == .badSignature)
        }
    }

    @Test(
        "is refused when it is not one",
        arguments: ["", "{}\n", "[]\n", "null\n", "{\"payload\":\"\",\"payloadType\":\"x\",\"signatures\":[]}\n"])
    func others(text: String) {
        #expect(code(Array(text.utf8)) == .malformed)
    }

    @Test("has no more members than the broker writes")
    func members() async throws {
        var statement = try #require(
            try await stage.receipt().statement(signedBy: stage.key.publicKey).objectValue)
        statement["note"] = "trust me"
        let payload = try JSONValue.object(statement).canonicalBytes()
        let signature = try stage.key.signature(of: SignedReceipt.preAuthenticationEncoding(payload))
        let envelope: JSONValue = [
            "payloadType": .string(SignedReceipt.payloadType), "payload": .string(Data(payload).base64EncodedString()),
            "signatures": [
                [
                    "keyid": .string(stage.key.publicKey.id), "sig": .string(Data(signature).base64EncodedString()),
                ]
            ],
        ]
        #expect(code(try envelope.canonicalBytes() + [0x0A]) == .malformed)
    }
}
