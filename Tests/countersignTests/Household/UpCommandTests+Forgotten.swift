import Foundation
import TestSupport
import Testing

extension UpCommandTests {
    @Test("a phone that its owner deletes on the page ends the household, which begins anew", .timeLimit(.minutes(3)))
    func forgotten() async throws {
        let (first, events) = try await household.up()
        let owner = try await OwnerOnPage(events, household)
        let answer = try await owner.forgetPhone()
        #expect(answer.status == 200 && answer.page.contains("This phone is forgotten"), "\(answer)")
        let told = try await household.events(of: first, until: "stopped")
        let words = told["phone_deleted"]?["message"]?.stringValue
        #expect(words?.contains("To begin anew: countersign up") == true, "\(told)")
        #expect(try await first.status() == 0, "a service is not started again: \(first.errors)")
        #expect(!FileManager.default.fileExists(atPath: household.data.appending(path: "phone").path))
        let anew = try await household.run("phone", "pending")
        #expect(anew.errors.contains("go on with: countersign up"), "\(anew)")

        let (second, again) = try await household.up()
        #expect(again["paired"] != nil, "the new phone is another device: \(again)")
        second.signal(SIGTERM)
        #expect(try await second.status() == 0)
    }
}
