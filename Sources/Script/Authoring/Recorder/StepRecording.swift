import BankScript
import Encodings
import Secrets

/// The steps of a person on a bank's pages, as a recorder in the browser kept them: Chrome's Recorder or Selenium IDE.
///
/// Typed texts are secrets from the moment the file is read, because a recorder does not tell a password from an amount.
public struct StepRecording: Sendable {
    public enum Format: String, Sendable {
        case chromeRecorder = "Chrome Recorder"
        case seleniumIDE = "Selenium IDE"
        case browser = "the browser"
    }

    public let format: Format
    var steps: [RecordedStep]
    /// The addresses and titles of pages that the recording mentions.
    var addresses: [String] = []
    var titles: [String] = []
    /// The script without its steps, in a recording that ``ChromeRecorderFile`` made of it.
    var header: BankScript?

    /// The largest file, in bytes.
    static let limits = JSONLimits(size: 32 << 20)

    /// Reads a recording that Chrome's Recorder exported as JSON, or a project of Selenium IDE (`.side`).
    ///
    /// - Parameter test: the name of the test to read, for a project with several.
    /// - Throws: ``StepRecordingError``.
    public init(reading bytes: some Sequence<UInt8>, test: String? = nil) throws(StepRecordingError) {
        let json: JSONValue
        do {
            json = try JSONReader.read(bytes, limits: Self.limits)
        } catch {
            throw StepRecordingError(
                .notJSON, "the file is not JSON: \(error); export the recording from Chrome's Recorder as JSON again")
        }
        if json["steps"]?.arrayValue != nil {
            var reader = ChromeRecordingReader()
            self = try reader.read(json)
        } else if json["tests"]?.arrayValue != nil {
            self = try SeleniumProjectReader(json, test: test).read()
        } else {
            throw StepRecordingError(
                .notARecording,
                "the file has neither “steps”, as Chrome's Recorder writes, nor “tests”, as Selenium IDE does; export "
                    + "the recording again")
        }
        guard !steps.isEmpty else {
            throw StepRecordingError(.noSteps, "the recording has no steps; record the visit again, and export it then")
        }
    }

    init(_ format: Format, _ steps: [RecordedStep]) {
        self.format = format
        self.steps = steps
    }
}

/// A thing that a person did.
struct RecordedStep: Sendable {
    enum Action: Sendable {
        case open(String)
        case click
        case type(Secret)
        /// An option of a list, by its text or its value.
        case choose(Secret)
        case check(Bool)
        /// Enter was pressed in a field, or a form was sent without a button.
        case submit
        case expectShown
        case expectTitle(String)
        /// Steps of a script, which no recorder can express.
        case script([Step])
        /// The steps after this one are repeated for each account.
        case forEachAccount
        /// The steps after this one are repeated for each month.
        case forEachPeriod
        /// The steps after this one are the script's `finally`.
        case finally
        /// Something that no step of a script does; in words that have no typed text.
        case unknown(String)
    }

    /// A frame in the page around it.
    enum Frame: Sendable, Hashable {
        /// Its position among the frames, from 0.
        case position(Int)
        case element(RecordedElement)
    }

    var action: Action
    var element: RecordedElement?
    var frames: [Frame] = []
    /// The frames of the step before have gone by themselves.
    var hasLeftFrames = false
    /// The click brought the document.
    var isDownload = false
    /// The step's place in the file, e.g. `step 3 (change)`.
    var place: String
}
