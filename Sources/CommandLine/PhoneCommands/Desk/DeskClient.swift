import Automation
import Encodings
import Foundation
import HouseholdCommands
import Machine
import Phone
import PhoneStore
import Secrets
import Terminal

/// A command that has its work done by the program that serves the approval page.
package struct DeskClient: Sendable {
    private let connection: DeskConnection
    private let console: Console
    private let prompt: any HumanPrompt
    private let isYes: @Sendable (String) -> Bool

    /// Connects to the page of this home; nil when none is open.
    package init?(to home: PhoneHome) {
        self.init(to: home, console: .standard, prompt: TerminalPrompt(), isYes: { Asking.yes($0) })
    }

    /// - Parameters:
    ///   - prompt: answers the bank's questions.
    ///   - isYes: answers the phone's own.
    init?(
        to home: PhoneHome, console: Console, prompt: any HumanPrompt, isYes: @escaping @Sendable (String) -> Bool
    ) {
        guard let descriptor = DeskSocket.connected(in: home) else { return nil }
        let connection = DeskConnection(descriptor)
        // The passphrase goes to a program of this user only.
        guard connection.peer == geteuid() else { return nil }
        self.connection = connection
        self.console = console
        self.prompt = prompt
        self.isYes = isYes
    }

    /// Sends the order, prints what comes back, and asks what is asked, until the work has ended.
    ///
    /// - Throws: ``RefusedPassphrase``; ``CommandFailure`` of the work.
    package func perform(_ order: PhoneWork.Order, with passphrase: Secret) async throws {
        connection.send(order.members, secret: passphrase)
        let restore = Asking.terminalState()
        defer { restore() }
        var asked: [Int: AskedQuestion] = [:]
        defer { for question in asked.values { question.task.cancel() } }
        var withdrawn: Set<Int> = []
        while let message = try await BlockingWork.run({ connection.receive()?.message }) {
            if let text = message["text"]?.stringValue {
                console.text(text)
            } else if let number = message["ask"]?.intValue {
                // The withdrawal may overtake its question.
                guard withdrawn.remove(number) == nil else { continue }
                asked[number] = try await answer(number, message)
            } else if let number = message["withdrawn"]?.intValue {
                guard let question = asked.removeValue(forKey: number) else {
                    withdrawn.insert(number)
                    continue
                }
                question.task.cancel()
                // It ends before the next question, whose answer it would take.
                await question.task.value
                restore()
                console.line(question.closingWords, .faint)
            } else if let status = message["exit"]?.intValue {
                guard status != 0 else { return }
                guard message["refused_passphrase"] != true else { throw RefusedPassphrase() }
                throw CommandFailure(message["message"]?.stringValue ?? "the work failed", status: Int32(status))
            }
        }
        throw CommandFailure(
            "the program that serves the approval page has ended; look at its output, and at countersign requests")
    }

    /// Asks the person.
    ///
    /// - Returns: a bank's question, which waits for its answer.
    private func answer(_ number: Int, _ question: JSONValue) async throws -> AskedQuestion? {
        if question["kind"] == "yes" {
            let isYes = try await BlockingWork.run { self.isYes(question["question"]?.stringValue ?? "") }
            connection.send(["answer": .number(Double(number)), "yes": .bool(isYes)])
            return nil
        }
        guard let asked = Prompt(question) else { return nil }
        // The question may be withdrawn meanwhile, so go on listening.
        let task = Task {
            do {
                let answer = try await prompt.answer(asked)
                connection.send(["answer": .number(Double(number))], secret: answer)
            } catch is CancellationError {
                // Withdrawn.
            } catch {
                Console.standard.error("\(error); answer on the approval page")
            }
        }
        let isElsewhere = if case .confirmElsewhere = asked.kind { true } else { false }
        return AskedQuestion(task: task, isElsewhere: isElsewhere)
    }

    /// A bank's question that waits at the terminal.
    private struct AskedQuestion {
        let task: Task<Void, Never>
        /// True for an approval in the bank's own app, which is answered neither here nor on the page.
        let isElsewhere: Bool

        var closingWords: String {
            isElsewhere
                ? "The bank waits no longer: it has your answer, or the time for it was over."
                : "The question is closed: it was answered on the page, or its time was over."
        }
    }
}
