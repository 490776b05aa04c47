import ArgumentParser
import Authoring
import Automation
import BankScript
import BrowserAutomation
import Foundation
import HTMLAutomation
import HTMLEngine
import Machine
import Terminal

/// The trace and the exchanges that a run shows.
struct WatchingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Write trace.html (for a browser), trace.har and trace.jsonl to this folder.", valueName: "dir"),
        completion: .directory)
    var trace: String?

    @Flag(help: "Leave account numbers and amounts in the trace; only for a bank on this machine.")
    var unmasked = false

    @Flag(help: "Print each exchange as a curl command, with shell variables in place of secrets.")
    var curl = false

    /// - Parameter source: the script's text, if it is a file.
    /// - Throws: ``CommandFailure`` with status 2.
    func watch(_ script: BankScript, source: String?, printing printer: StepPrinter) throws -> RunWatch {
        if unmasked {
            guard script.origins.allSatisfy(\.isLoopbackOrigin) else {
                throw CommandFailure("--unmasked is only for a mock bank on this machine; leave it out", status: 2)
            }
        }
        return RunWatch(
            recorder: trace.map { _ in TraceRecorder(script, source: source, mask: Mask(keepsDigits: unmasked)) },
            folder: trace.map { URL(filePath: $0, directoryHint: .isDirectory) }, printsCurl: curl, printer: printer,
            visited: Asking.isPossible && !printer.json ? VisitedPages() : nil)
    }
}

/// The parts of a trace that only a browser has.
package struct BrowserWatch: Sendable {
    package var pictures: ChromiumConfiguration.Pictures = .none
    package var console: (@Sendable (ConsoleMessage) -> Void)?
}

/// The observers of one run.
struct RunWatch: Sendable {
    let recorder: TraceRecorder?
    let folder: URL?
    let printsCurl: Bool
    let printer: StepPrinter
    /// The pages that the run met; kept only where a person is present, who may want a survey of them.
    let visited: VisitedPages?

    var observer: any RunObserver {
        guard let recorder else { return printer }
        return Observers([printer, recorder])
    }

    var exchanges: (@Sendable (Exchange) -> Void)? {
        guard recorder != nil || visited != nil || printsCurl else { return nil }
        return { [recorder, visited, printsCurl, printer] exchange in
            recorder?.record(exchange)
            visited?.add(exchange)
            if printsCurl { printer.console.lines("\(CurlCommand(exchange))", .faint) }
        }
    }

    /// The pictures and the console of a browser, for the trace.
    var browser: BrowserWatch {
        guard let recorder else { return BrowserWatch() }
        return BrowserWatch(pictures: recorder.keepsDigits ? .keepingDigits : .masked) { recorder.record($0) }
    }

    func engine(_ engine: any NavigationEngine) -> any NavigationEngine {
        recorder?.watching(engine) ?? engine
    }

    /// Offers a survey after a failure: the script's author may need the pages, without the person's data.
    func offerSurvey() throws {
        guard let visited, let survey = try? Survey(of: visited.archive),
            Asking.yes("Write a survey of the pages, without your data, for the script's author?")
        else { return }
        let free = (["survey.txt"] + (2...99).map { "survey-\($0).txt" }).first {
            !FileManager.default.fileExists(atPath: $0)
        }
        try SurveyReview().write(survey, to: free ?? "survey.txt")
    }

    /// Writes the trace.
    func end() throws {
        guard let recorder, let folder else { return }
        do {
            let page = try Trace(recorder).write(to: folder)
            if !printer.json { printer.console.line("Trace: \(page.path)", .faint) }
        } catch let error as FileError {
            throw CommandFailure("the trace could not be written: \(error)")
        }
    }
}
