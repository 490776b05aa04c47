import Encodings

/// A file that a script can be drafted from, told by its content.
public enum DraftSource: Sendable {
    /// A HAR file: requests and pages.
    case visit(HTTPArchive)
    /// The clicks and texts of a recorder in the browser.
    case steps(StepRecording)
    case survey(Survey)

    /// - Parameter test: the name of the test, for a Selenium IDE project with several.
    /// - Throws: ``HTTPArchiveError``, ``StepRecordingError``, or ``DraftError`` for any other text.
    public init(reading bytes: some Collection<UInt8>, test: String? = nil) throws {
        let first = bytes.first { !Self.blank.contains($0) }
        guard first == UInt8(ascii: "{") else {
            let text = String(decoding: bytes, as: UTF8.self)
            guard text.hasPrefix(Survey.title) || text.hasPrefix("#") else {
                throw DraftError(
                    message:
                        "the file is neither a HAR file, nor a recording of Chrome's Recorder or Selenium IDE, nor a "
                        + "survey; export it again")
            }
            self = .survey(try Survey(reading: text))
            return
        }
        let json = try? JSONReader.read(bytes, limits: StepRecording.limits)
        if let json, json["steps"] != nil || json["tests"] != nil {
            self = .steps(try StepRecording(reading: bytes, test: test))
        } else {
            self = .visit(try HTTPArchive(reading: bytes))
        }
    }

    /// White space, and the bytes of a byte order mark.
    private static let blank: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF]
}
