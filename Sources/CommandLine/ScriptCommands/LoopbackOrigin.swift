import WebURL

extension String {
    /// True for an origin on this machine, such as a mock bank's.
    package var isLoopbackOrigin: Bool { (try? Origin(parsing: self))?.host.isLoopback ?? false }
}
