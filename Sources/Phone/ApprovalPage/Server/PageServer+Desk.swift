import Automation
import KeyVault
import Languages
import Phone
import Secrets

/// The means of a command at this machine's terminal to work through the program that holds the phone.
extension PageServer {
    /// Returns the phone, which is unlocked now if it was locked. The verification is checked each time.
    package func phone(openedWith verification: any UserVerification) async throws -> PhoneRunner {
        try await state.unlock(verification)
        return try await state.unlocked()
    }

    /// Returns a stream that tells of every change, such as a question that is asked or answered.
    package func changes() -> AsyncStream<Void> { state.changes.stream() }

    /// Returns the notice that a request waits, in the language that the owner has chosen, or else in this machine's.
    ///
    /// - Parameter environment: that of the program, whose variables name the machine's language (POSIX.1-2017, section 8.2).
    package func requestNotice(_ environment: [String: String]) async -> RequestNotice {
        let book = PageResources.sentences
        let own = await state.language
        return RequestNotice(in: book[own ?? Language.system(environment, among: book.offered)])
    }

    /// The bank's question that waits for an answer.
    package func openQuestion() async -> (id: String, prompt: Prompt)? {
        await state.prompt.open.map { ($0.id, $0.prompt) }
    }

    /// - Returns: false if the question is not open any more, or if the answer is not one of the choices.
    package func answer(_ answer: Secret, to question: String) async -> Bool {
        await state.prompt.take(answer, for: question)
    }
}
