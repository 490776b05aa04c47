import Foundation
import HTMLEngine

/// The settings of the browser that the program decides, not the script.
public struct ChromiumConfiguration: Sendable {
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
    /// The folder in which the run makes its private one; by default a memory file system's, where there is one.
    /// Its path may have at most 33 bytes.
    public var temporaryFolder: URL?
    /// Is called for every exchange that the browser tells about. It holds secrets, but no bodies: pass it through
    /// `Redactor` before it goes anywhere.
    public var observer: (@Sendable (Exchange) -> Void)?

    public init(
        programs: BrowserPrograms? = nil, certificateAuthority: URL? = nil, isHeaded: Bool = false,
        sharesNetwork: Bool = false, startLimit: Duration = .seconds(60), temporaryFolder: URL? = nil,
        observer: (@Sendable (Exchange) -> Void)? = nil
    ) {
        self.programs = programs
        self.certificateAuthority = certificateAuthority
        self.isHeaded = isHeaded
        self.sharesNetwork = sharesNetwork
        self.startLimit = startLimit
        self.temporaryFolder = temporaryFolder
        self.observer = observer
    }
}
