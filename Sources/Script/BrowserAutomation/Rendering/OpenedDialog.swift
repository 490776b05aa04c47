import BankScript
import Encodings

/// A dialog that a page has opened, with the script's answer to it.
struct OpenedDialog: Sendable {
    let context: String
    let text: String
    /// The script's rule for it; nil where no rule names it.
    let rule: DialogRule?
    /// True for the question whether to leave a page. Such a dialog has no text of the page, and the step means to leave.
    let isAboutLeaving: Bool
    /// The text that a prompt proposes; nil for other dialogs.
    private let proposal: String?

    /// Reads the event `browsingContext.userPromptOpened` (WebDriver BiDi, section 7.3.4.11).
    init(_ details: JSONValue, rules: [DialogRule]) {
        context = details["context"]?.stringValue ?? ""
        let text = details["message"]?.stringValue ?? ""
        self.text = text
        isAboutLeaving = details["type"]?.stringValue == "beforeunload"
        rule = rules.first { text.containsFolded($0.words) }
        proposal = details["type"]?.stringValue == "prompt" ? details["defaultValue"]?.stringValue ?? "" : nil
    }

    /// The parameters of `browsingContext.handleUserPrompt` that answer it. A dialog without a rule is dismissed.
    var answer: JSONValue {
        if isAboutLeaving { return ["context": .string(context), "accept": true] }
        guard case .accept(let typed)? = rule?.answer else { return ["context": .string(context), "accept": false] }
        guard let proposal else { return ["context": .string(context), "accept": true] }
        return ["context": .string(context), "accept": true, "userText": .string(typed ?? proposal)]
    }
}
