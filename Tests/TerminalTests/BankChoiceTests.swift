import Testing

@testable import Terminal

@Suite("The choice of a bank")
struct BankChoiceTests {
    @Test("says which banks there are and what to type, without a person to ask")
    func refused() {
        let several = #expect(throws: CommandFailure.self) {
            try BankChoice.among(["north", "south"], isAsked: false)
        }
        let words = "there are several banks: north, south; say which one is meant, for example --bank north"
        #expect(several?.message == words && several?.status == 2)
        let none = #expect(throws: CommandFailure.self) { try BankChoice.only(of: []) }
        #expect(none?.message.contains("name one with --bank") == true)
    }

    @Test("needs no question for the only bank")
    func only() throws {
        #expect(try BankChoice.only(of: ["north"]) == "north")
    }
}
