import Authoring
import BankScript
import BrowserAutomation
import Terminal

/// A recording at the terminal: prints each step when it is done, and takes the person's corrections.
actor RecordingSession {
    private(set) var recording: LiveRecording
    private var shown: [String] = []
    private let console: Console

    init(url: String, console: Console = .standard) {
        recording = LiveRecording(openedAt: url)
        self.console = console
    }

    /// Takes actions until the window closes, or the person types “done”.
    func run(_ actions: AsyncStream<VisitorAction>, lines: AsyncStream<String>) async {
        show()
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await action in actions { await self.add(action) }
                return true
            }
            group.addTask {
                for await line in lines where await self.obey(line) { return true }
                // The input has ended; the window goes on.
                return false
            }
            while let isEnd = await group.next() {
                if isEnd { break }
            }
            group.cancelAll()
        }
    }

    func add(_ action: VisitorAction) {
        recording.add(action)
        show()
    }

    /// Performs a line that the person typed; true when the visit has ended.
    func obey(_ line: String) -> Bool {
        switch line.split(separator: " ").joined(separator: " ").lowercased() {
        case "done", "quit", "exit": return true
        case "undo":
            if recording.removeLast() { show() } else { console.line("No step can be taken back.", .faint) }
        case "": break
        default: console.line("“undo” takes the last step back, “done” ends the visit.", .faint)
        }
        return false
    }

    /// Prints the steps that are new, after those that have changed.
    private func show() {
        guard let draft = try? recording.draft() else { return }
        let sections = [draft.script.steps, draft.script.finally].map { steps in
            Step.yaml(steps).split(separator: "\n").map(String.init)
        }
        let lines = sections[0] + (sections[1].isEmpty ? [] : ["finally:"] + sections[1])
        let same = zip(lines, shown).prefix { $0 == $1 }.count
        if same < shown.count {
            let number = shown.count - same
            console.line(number == 1 ? "(the last line becomes)" : "(the last \(number) lines become)", .faint)
        }
        for line in lines.dropFirst(same) { console.line(line) }
        shown = lines
    }
}
