import Automation
import Encodings
import Foundation
import Secrets

/// Asks the bank's question at the terminal.
package struct TerminalPrompt: HumanPrompt {
    package init() {}

    package func answer(_ prompt: Prompt) async throws -> Secret {
        guard Asking.isPossible else {
            throw CommandFailure(
                "\(prompt.bankName.inLine()) asks “\(prompt.question.inLine())”, which needs a terminal to answer at")
        }
        switch prompt.kind {
        case .code(let picture) where picture?.flicker != nil:
            Console.standard.line("\(prompt.bankName.inLine()): \(prompt.question.inLine())")
            Console.standard.line(
                "Press Enter to see the bars, which flicker, and Enter again when your reader has read them.")
            _ = try await typed { Asking.line("", unless: $0).map(Secret.init) }
            if let typed = picture?.flicker?.typed, !typed.isEmpty {
                Console.standard.disclose(
                    "Or type into it: \(typed.map { $0.inLine() }.joined(separator: ", then "))\n")
            }
            let bars = picture?.flicker.map(FlickeringBars.init)
            _ = try await typed { bars?.show(unless: $0).map(Secret.init) }
            return try await typed { Asking.secret("Code:", unless: $0) }
        case .code(let picture):
            let shown = try picture.map { try ShownPicture($0) }
            defer { shown?.remove() }
            let question = "\(shown?.words ?? "")\(prompt.bankName.inLine()): \(prompt.question.inLine()) Code:"
            return try await typed { Asking.secret(question, unless: $0) }
        case .choice(let options):
            for (number, option) in options.enumerated() {
                Console.standard.line("  \(number + 1)  \(option.inLine())")
            }
            let picked = try await typed {
                Asking.line("\(prompt.bankName.inLine()): which one?", unless: $0).map(Secret.init)
            }
            guard let number = Int(picked.revealed()), options.indices.contains(number - 1) else {
                throw CommandFailure("the answer must be a number from 1 to \(options.count)")
            }
            return Secret(options[number - 1])
        case .confirmElsewhere:
            Console.standard.line("\(prompt.bankName.inLine()): \(prompt.question.inLine())")
            try await Task.sleep(for: .seconds(86_400))
            return Secret("")
        }
    }

    /// Waits for what a person types. A task that is cancelled withdraws its question.
    private func typed(_ ask: @escaping @Sendable (Withdrawal) -> Secret?) async throws -> Secret {
        guard let answer = try await Asking.waiting(for: ask) else { throw CommandFailure("no answer was given") }
        return answer
    }
}

/// Answers a code question with the code of the credentials file, and asks everything else at the terminal.
package struct FileOrTerminalPrompt: HumanPrompt {
    private let code: Secret?

    package init(code: Secret?) {
        self.code = code
    }

    package func answer(_ prompt: Prompt) async throws -> Secret {
        if case .confirmElsewhere = prompt.kind {
            Console.standard.line("\(prompt.bankName.inLine()): \(prompt.question.inLine())")
            try await Task.sleep(for: .seconds(86_400))
            return Secret("")
        }
        if case .code = prompt.kind {
            if let code { return code }
            guard Asking.isPossible else {
                throw CommandFailure(
                    "\(prompt.bankName.inLine()) asks “\(prompt.question.inLine())”: answer it at a terminal, or write its answer as "
                        + "“code” into the file of --credentials")
            }
        }
        return try await TerminalPrompt().answer(prompt)
    }
}
