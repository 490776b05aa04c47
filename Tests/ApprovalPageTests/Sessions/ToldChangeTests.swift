import TestParties
import Testing

@testable import ApprovalPage

@Suite("A change that the page tells of once")
struct ToldChangeTests {
    @Test("gets a new number, also after another start, and no other number tells of it")
    func numbers() async throws {
        try await TestPhone.with { phone in
            var numbers: Set<Int> = []
            for _ in 0..<2 {
                let state = try PageState(
                    home: phone.home, services: phone.services(), configuration: TestPhone.pageConfiguration)
                let number = await state.note(.household)
                numbers.insert(number)
                #expect(await state.change(numbered: String(number)) == .household)
                for other in ["1", String(number - 1), String(number + 1), "+\(number)", "0\(number)", ""] {
                    #expect(await state.change(numbered: other) == nil, "\(other)")
                }
                let later = await state.note(.copiesDeleted(2))
                #expect(await state.change(numbered: String(later)) == .copiesDeleted(2))
                #expect(await state.change(numbered: String(number)) == nil, "it is not the latest any more")
            }
            #expect(numbers.count == 2, "an address of the first start tells of a change after the second")
        }
    }
}
