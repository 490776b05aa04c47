import Messages

/// The specification's `RequestID`, not Hummingbird's.
public typealias RequestID = Messages.RequestID
