import Automation
import Foundation
import Secrets
import Testing

@testable import Terminal

@Suite("A bank's question to a command")
struct TerminalPromptTests {
    private static let prompt = Prompt(
        kind: .code(picture: nil), bankName: "My Bank", question: "Which code?", deadline: .distantFuture)

    @Test("is answered with the code of the credentials file")
    func code() async throws {
        let answer = try await FileOrTerminalPrompt(code: Secret("271828")).answer(Self.prompt)
        #expect(answer.revealed() == "271828")
    }

    @Test(
        "without a terminal, says that the credentials file may have the code",
        .enabled(if: !Asking.isPossible, "a terminal would ask"))
    func advice() async throws {
        let failure = await #expect(throws: CommandFailure.self) {
            try await FileOrTerminalPrompt(code: nil).answer(Self.prompt)
        }
        #expect(failure?.message.contains("“code” into the file of --credentials") == true)
    }
}
