import Automation
import BankScript
import Foundation
import HTMLEngine

/// The recorded run. Every text in it is masked.
struct TraceRecord: Sendable {
    struct Page: Sendable, Hashable {
        var url: String
        var title: String
        var status: Int
        var html: String
        /// The number of outlined elements.
        var matches: Int
        /// The picture that the browser drew; nil from an engine without a screen.
        var picture: PagePicture?
    }

    struct Capture: Sendable, Hashable {
        var name: String
        var text: String
    }

    struct Traffic: Sendable {
        var exchange: Exchange
        /// Counted from the run's beginning.
        var offset: Duration
    }

    struct Step: Sendable {
        enum Outcome: Sendable {
            case running
            case done
            case failed(RunFailure)
        }

        var place: StepPlace
        var offset: Duration
        var duration: Duration = .zero
        var outcome = Outcome.running
        /// The page on which the step looked for something, with its matches outlined.
        var acted: Page?
        /// The page that the step led to.
        var arrived: Page?
        var traffic: [Traffic] = []
        var captures: [Capture] = []
        /// The first warnings and errors in the browser's console.
        var console: [ConsoleMessage] = []
        /// Remarks, e.g. on the second factor and the download.
        var notes: [String] = []
    }

    /// The most console messages of a step: a page may write without end.
    static let mostMessages = 50

    var scriptName: String
    var scriptDigest: String
    /// The lines of the script's file; empty for a script that is compiled in.
    var source: [String] = []
    var startedAt: Date
    var duration: Duration = .zero
    var steps: [Step] = []
    var keepsDigits: Bool

    /// The failure that ended the run.
    var failure: RunFailure? {
        for step in steps {
            if case .failed(let failure) = step.outcome, !step.place.isFinally { return failure }
        }
        return nil
    }

    var exchanges: [Traffic] { steps.flatMap(\.traffic) }

    var hasPictures: Bool { steps.contains { $0.acted?.picture != nil || $0.arrived?.picture != nil } }
}
