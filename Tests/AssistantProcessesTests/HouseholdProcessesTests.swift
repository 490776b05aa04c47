import Testing

@testable import AssistantProcesses

@Suite("The environment of a household's processes")
struct HouseholdProcessesTests {
    @Test(
        "holds what a child reads, and no other program's secrets",
        arguments: [
            ("ASSISTANT_DATABASE_URL", true), ("VAPID_SUBJECT", true), ("HOME", true), ("AWS_PROFILE", true),
            ("AWS_SHARED_CREDENTIALS_FILE", true), ("AWS_SECRET_ACCESS_KEY", false), ("AWS_SESSION_TOKEN", false),
            ("AWS_ACCESS_KEY_ID", false), ("BROKER_TOKEN", false), ("LD_PRELOAD", false),
        ])
    func variables(_ name: String, _ isRead: Bool) {
        #expect(HouseholdProcesses.isRead(name) == isRead)
    }
}
