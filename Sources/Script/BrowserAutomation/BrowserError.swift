import Automation
import HTMLAutomation

/// The reason why the browser could not be started or did not go on.
public struct BrowserError: Error, Sendable, CustomStringConvertible {
    public enum Code: Sendable, Hashable {
        /// Chromium or its driver is not installed.
        case missing
        case wrongVersion
        /// The driver or the browser said something that the protocol does not allow.
        case nonsense
        /// The driver or the browser ended by itself.
        case crashed
        /// The driver or the browser gave no answer in time.
        case hung
        /// The browser answered a command with an error.
        case refused
        /// The script asks for something that this engine cannot give.
        case unsupported
    }

    public let code: Code
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }

    /// The page began another navigation at the same moment, and this one ended.
    var isAboutOtherNavigation: Bool {
        code == .refused
            && ["concurrent navigation", "Not attached to an active page"].contains { message.contains($0) }
    }

    /// The navigation ended early, because of another one or as a download. The browser's events say which.
    var hasAborted: Bool { code == .refused && message.contains("net::ERR_ABORTED") }
}

extension EngineError {
    /// Converts an error of the browser to the terms that are the same for every engine.
    init(browser error: any Error) {
        guard let error = error as? BrowserError else {
            self.init(error)
            return
        }
        self.init(error.code == .hung ? .timeout : .other, ProtocolFault.words(of: error.message))
    }
}
