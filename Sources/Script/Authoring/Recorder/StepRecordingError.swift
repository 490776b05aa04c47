/// The reason why a file cannot be read as a recording of steps: where, what was seen, and what to do.
public struct StepRecordingError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Code: Sendable, Hashable {
        /// The file is not JSON.
        case notJSON
        /// The file is JSON of another kind.
        case notARecording
        /// A part of the file is missing or of the wrong type.
        case malformed
        /// Nothing was recorded.
        case noSteps
        /// The project has several tests, and none was named.
        case severalTests
        /// The project has no test of that name.
        case noSuchTest
    }

    public let code: Code
    /// The place in the file, e.g. `step 3 (change)`; nil for the whole file.
    public let place: String?
    public let message: String

    init(_ code: Code, at place: String? = nil, _ message: String) {
        self.code = code
        self.place = place
        self.message = message
    }

    public var description: String { place.map { "\($0): \(message)" } ?? message }
}
