import Authoring
import Automation
import Foundation
import Secrets
import Terminal

/// Reads lines from standard input, and lets a shell perform them.
struct ShellLoop: Sendable {
    let shell: ScriptShell
    let console = Console.standard

    /// Performs lines until the person leaves or the input ends.
    ///
    /// - Returns: whether the person quit.
    /// - Throws: ``CommandFailure`` when a line from a pipe fails: the lines after it depend on it.
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
        // Reading blocks: use a thread of its own, not one of the cooperative pool.
        return await withCheckedContinuation { continuation in
            Thread { continuation.resume(returning: readLine(strippingNewline: true)) }.start()
        }
    }
}
