import Foundation

/// A change in a watched folder. Events are hints and can be missed: only a scan is reliable.
package enum DirectoryEvent: Sendable, Hashable {
    /// A file with this name appeared, disappeared or changed.
    case changed(String)
    /// Events were lost; look at everything.
    case overflow
}
