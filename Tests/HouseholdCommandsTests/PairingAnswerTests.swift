import Testing

@testable import HouseholdCommands

@Suite("A program's answer to the words of a pairing")
struct PairingAnswerTests {
    @Test("means yes for the word and for JSON", arguments: ["yes", "y", " YES ", "yes\r", #"{"same_words":true}"#])
    func yes(line: String) {
        #expect(PairingAnswer.agrees(line))
    }

    @Test(
        "means no for anything else, and at the end of the input",
        arguments: [
            nil, "", "no", "yes please", "true", "{", #"{"same_words":false}"#, #"{"same_words":"true"}"#,
            #"{"words":true}"#, #"[{"same_words":true}]"#,
        ])
    func no(line: String?) {
        #expect(!PairingAnswer.agrees(line))
    }
}
