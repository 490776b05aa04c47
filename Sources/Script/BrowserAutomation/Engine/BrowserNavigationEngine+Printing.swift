import Automation
import Encodings
import Foundation
import Machine

// Statements that exist as a page only.

extension BrowserNavigationEngine {
    /// A4 with margins of a centimetre; all lengths in centimetres (WebDriver BiDi, section 7.3.3.7).
    private static let paper: [String: JSONValue] = [
        "background": true, "margin": ["top": 1, "right": 1, "bottom": 1, "left": 1],
        "page": ["width": 21, "height": .number(29.7)], "shrinkToFit": true,
    ]

    /// Prints the open page into a file, as it looks on paper.
    func printPage(to file: URL, limit: Int) async throws -> EngineFile {
        // Reading the page refuses one that the browser made itself, and one of a foreign origin.
        _ = try await openPage()
        let state = activity.window(context)
        guard state.parent == nil else {
            throw EngineError(
                .refused,
                "the steps are in a frame, and only a whole page can be printed; open the frame's address first")
        }
        var parameters = Self.paper
        parameters["context"] = .string(context)
        let answer = try await connection.call("browsingContext.print", .object(parameters))
        try failOnDialog()
        guard let text = answer["data"]?.stringValue, let document = Data(base64Encoded: text), !document.isEmpty else {
            throw BrowserError(.nonsense, "the browser printed nothing; run the script again")
        }
        guard document.count <= limit else {
            throw EngineError(
                .tooLarge,
                "the printed page is larger than the limit of \(limit) bytes; raise the step's limit if it is right")
        }
        try PassingFile.write(Array(document), to: file)
        return try described(file, status: arrival.status, mediaType: "application/pdf")
    }
}
