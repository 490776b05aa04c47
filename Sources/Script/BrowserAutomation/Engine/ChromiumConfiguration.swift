import Automation
import Foundation
import HTMLEngine

/// The settings of the browser that the program decides, not the script.
public struct ChromiumConfiguration: Sendable {
    /// The pictures of pages, for a trace. None shows a value of a field, a secret, an image or a frame.
    public enum Pictures: Sendable, Hashable {
        case none
        /// Without the digits of account numbers and amounts.
        case masked
        /// With digits. Use it for a mock bank, whose numbers belong to no person.
        case keepingDigits
    }

    /// Chromium and its driver; found in the environment when nil.
    public var programs: BrowserPrograms?
    /// A PEM file with a certificate authority to trust besides the system's.
    public var certificateAuthority: URL?
    /// Shows the window.
    public var isHeaded: Bool
    /// Lets the browser use this machine's network, where other users can reach and take over the browser. By default it
    /// has its own network, which needs Linux with unprivileged user namespaces.
    public var sharesNetwork: Bool
    /// The longest time for the browser to start.
    public var startLimit: Duration
    /// The longest time for the browser to answer one command. A browser that hangs ends the step after it.
    public var answerLimit: Duration
    /// The longest time for a page with scripts to show an element, and to let a person use it.
    public var patience: Duration
    /// The folder in which the run makes its private one; by default a memory file system's, where there is one.
    /// Its path may have at most 33 bytes.
    public var temporaryFolder: URL?
    /// The pictures to take of the pages that go into a trace.
    public var pictures: Pictures
    /// Is called for each warning and error in the browser's console. It may hold secrets: mask it before it goes anywhere.
    public var console: (@Sendable (ConsoleMessage) -> Void)?
    /// Is called for every exchange that the browser tells about. It holds secrets, but no bodies: pass it through
    /// `Redactor` before it goes anywhere.
    public var observer: (@Sendable (Exchange) -> Void)?

    public init(
        programs: BrowserPrograms? = nil, certificateAuthority: URL? = nil, isHeaded: Bool = false,
        sharesNetwork: Bool = false, startLimit: Duration = .seconds(60), answerLimit: Duration = .seconds(30),
        patience: Duration = .seconds(10), temporaryFolder: URL? = nil,
        pictures: Pictures = .none, console: (@Sendable (ConsoleMessage) -> Void)? = nil,
        observer: (@Sendable (Exchange) -> Void)? = nil
    ) {
        self.programs = programs
        self.certificateAuthority = certificateAuthority
        self.isHeaded = isHeaded
        self.sharesNetwork = sharesNetwork
        self.startLimit = startLimit
        self.answerLimit = answerLimit
        self.patience = patience
        self.temporaryFolder = temporaryFolder
        self.pictures = pictures
        self.console = console
        self.observer = observer
    }
}
