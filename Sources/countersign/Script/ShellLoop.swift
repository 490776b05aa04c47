import Automation
import Foundation
import Secrets

/// Reads lines from standard input, a terminal or not, and lets a shell perform them.
struct ShellLoop: Sendable {
    let shell: ScriptShell
    let console = Console.standard

    /// - Returns: when the person leaves, or the input ends; true when the person quits.
    /// - Throws: ``CommandFailure`` where nobody types and a line failed: what comes after it would mean something else.
    func run() async throws -> Bool {
        let isTyped = Asking.isPossible
        while let line = await read(prompt: isTyped ? "› " : "") {
            let reply = await shell.perform(line)
            for text in reply.lines { console.line(text, reply.isFailure ? .bad : .plain) }
            if reply.isEnd { return reply.isQuit }
            if reply.isFailure, !isTyped { throw CommandFailure("the shell stopped at: \(line)") }
        }
        if isTyped { console.line() }
        return false
    }

    private func read(prompt: String) async -> String? {
        if !prompt.isEmpty { try? FileHandle.standardError.write(contentsOf: Data(prompt.utf8)) }
        // Reading blocks, and must not hold one of the few cooperative threads.
        return await withCheckedContinuation { continuation in
            Thread { continuation.resume(returning: readLine(strippingNewline: true)) }.start()
        }
    }
}
