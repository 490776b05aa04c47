import Clocks
import Testing

@testable import Messages

@Suite("The common vocabulary")
struct VocabularyTests {
    @Test("has the same transitions at the broker and on the phone, which never sees SENT")
    func transitions() {
        for status in RequestStatus.allCases where status != .sent {
            #expect(status.successorsOnPhone == status.successorsAtBroker)
        }
        #expect(RequestStatus.sent.successorsAtBroker == [.pendingApproval])
        #expect(RequestStatus.sent.successorsOnPhone.isEmpty)
        #expect(RequestStatus.allCases.filter(\.isTerminal) == [.completed, .failed, .denied, .expired])
    }

    @Test("has the specification's six error codes for failed runs, in its order, and then the end of a consent")
    func failures() {
        #expect(
            ErrorCode.runFailures.map(\.rawValue) == [
                "BANK_LOGIN_FAILED", "BANK_2FA_TIMEOUT", "NAVIGATION_FAILED", "PDF_DOWNLOAD_FAILED",
                "ICLOUD_WRITE_FAILED", "EXECUTION_TIMEOUT", "CONSENT_ENDED",
            ])
    }

    @Test("names a delivery after its request and its month")
    func names() throws {
        let id = try #require(RequestID("0f0e0d0c-0b0a-4900-8807-060504030201"))
        #expect(MonthYear(month: 9, year: 2026)!.fileStem(for: id) == "0f0e0d0c-0b0a-4900-8807-060504030201-sep-2026")
    }

    @Test(
        "takes only UUIDs in lower case for request IDs",
        arguments: ["", "42", "0F0E0D0C-0B0A-4900-8807-060504030201", "0f0e0d0c0b0a49008807060504030201"])
    func noRequestIDs(text: String) {
        #expect(RequestID(text) == nil)
    }

    @Test("takes only 32 lower-case hexadecimal digits for nonces")
    func nonces() {
        #expect(Nonce("00112233445566778899aabbccddeeff") != nil)
        #expect(Nonce("00112233445566778899AABBCCDDEEFF") == nil)
        #expect(Nonce("00112233") == nil)
        #expect(Nonce() != Nonce())
    }
}
