import Authoring
import Automation
import Foundation
import Secrets
import Terminal

/// Reads lines from standard input, and lets a shell perform them.
struct ShellLoop: Sendable {
    let shell: ScriptShell
    /// The folder that keeps the lines.
    var home = HomeOption.standard
    let console = Console.standard

    /// Performs lines until the person leaves or the input ends.
    ///
    /// - Returns: whether the person quit.
    /// - Throws: ``CommandFailure`` when a line from a pipe fails: the lines after it depend on it.
    func run() async throws -> Bool {
        let isTyped = Asking.isPossible
        var history = ShellHistory(in: home)
        while let typed = await read(prompt: isTyped ? "› " : "") {
            if typed == "history" {
                for text in history.listed { console.line(text) }
                continue
            }
            guard let line = history.expanded(typed) else {
                console.line("no line \(typed.dropFirst()) is kept; `history` lists them", .bad)
                continue
            }
            // What is typed at a terminal is kept. A pipe has its lines already.
            if isTyped, ScriptShell.mayKeep(line) { try? history.add(line) }
            if line != typed { console.line(line, .faint) }
            let reply = await shell.perform(line)
            for text in reply.lines { console.lines(text, reply.isFailure ? .bad : .plain) }
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
