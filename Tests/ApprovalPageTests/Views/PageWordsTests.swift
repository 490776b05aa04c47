import Testing

@testable import ApprovalPage

@Suite("The words of the approval page")
struct PageWordsTests {
    @Test(
        "show the time that is left with hours from one on, and in days from two on",
        arguments: [
            (0, "0:00"), (59, "0:59"), (255, "4:15"), (3599, "59:59"), (3600, "1:00:00"), (90_061, "25:01:01"),
            (172_799, "47:59:59"), (172_800, "2\u{A0}days"),
        ])
    func clock(seconds: Int, words: String) { #expect(PageViews.clock(seconds) == words) }
}
