import Phone
import Testing

@testable import PhoneCommands

@Suite("A request at the terminal")
struct PendingRequestLinesTests {
    @Test(
        "says the time that is left in its two largest units",
        arguments: [
            (0, "0 s"), (59, "59 s"), (60, "1 min 0 s"), (255, "4 min 15 s"), (3599, "59 min 59 s"),
            (3600, "1 h 0 min"), (90_061, "25 h 1 min"), (172_800, "2 days"), (260_000, "3 days"),
        ])
    func left(seconds: Int, words: String) { #expect(PendingRequest.words(left: seconds) == words) }
}
