import Foundation

/// What a watched folder tells. It is a hint: names may be missed, so a scan is the truth.
public enum DirectoryEvent: Sendable, Hashable {
    /// Something of that name came, went or changed.
    case changed(String)
    /// Events were lost; look at everything.
    case overflow
}
