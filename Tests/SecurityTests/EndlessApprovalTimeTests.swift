import Messages
import Phone
import TestParties
import Testing

@Suite("A broker that lets requests wait for years")
struct EndlessApprovalTimeTests {
    @Test("the phone refuses an approval time of more than fifteen minutes", arguments: [901.0, 86_400, 315_360_000])
    func tooLong(seconds: Double) async throws {
        try await TestPhone.with { phone in
            await phone.broker.offer([try phone.envelope(issued: 0, expires: seconds)])
            let review = try await phone.runner().refresh()
            #expect(review.pending.isEmpty)
            #expect(review.refused.first?.message.contains("accepts at most 900 s") == true)
        }
    }

    @Test("fifteen minutes are accepted")
    func longEnough() async throws {
        try await TestPhone.with { phone in
            await phone.broker.offer([try phone.envelope(issued: 0, expires: 900)])
            #expect(try await phone.runner().refresh().pending.count == 1)
        }
    }
}
