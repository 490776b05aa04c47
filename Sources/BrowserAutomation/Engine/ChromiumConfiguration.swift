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
    /// Is called for every exchange that the browser tells about. It holds secrets, but no bodies: pass it through
    /// `Redactor` before it goes anywhere.
    public var observer: (@Sendable (Exchange) -> Void)?

    public init(
        programs: BrowserPrograms? = nil, certificateAuthority: URL? = nil, isHeaded: Bool = false,
        observer: (@Sendable (Exchange) -> Void)? = nil
    ) {
        self.programs = programs
        self.certificateAuthority = certificateAuthority
        self.isHeaded = isHeaded
        self.observer = observer
    }
}
