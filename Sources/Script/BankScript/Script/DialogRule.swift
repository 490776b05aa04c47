/// The answer to a dialog that a page may open: an alert, a question, or a prompt for a text.
///
/// The first rule whose words a dialog contains answers it. A dialog that no rule names is dismissed, and ends the run with
/// its text. Only ``ScriptEngine/browser`` has dialogs.
public struct DialogRule: Sendable {
    public enum Answer: Sendable, Hashable {
        /// Presses OK. A prompt gets the text, or keeps the page's own when it is nil. The text is never a secret.
        case accept(typing: String? = nil)
        /// Presses Cancel.
        case dismiss
    }

    /// A part of the dialog's text. Case does not count, and white space is folded.
    public var words: String
    public var answer: Answer
    /// Not part of the script's digest.
    public var mark: Mark?

    public init(saying words: String, answer: Answer, file: String = #fileID, line: Int = #line) {
        self.init(words: words, answer: answer, mark: Mark(file: file, line: line))
    }

    init(words: String, answer: Answer, mark: Mark?) {
        self.words = words
        self.answer = answer
        self.mark = mark
    }

    /// The text to type into a prompt.
    public var text: String? { if case .accept(let text) = answer { text } else { nil } }

    /// The reason why the rule cannot be used, with what to write; nil for a rule that can.
    package var fault: (message: String, hint: String)? {
        if words.allSatisfy(\.isWhitespace) {
            return ("“says” is empty, so it fits no dialog", "write some words of the dialog: says: Stay signed in")
        }
        for text in [words, text ?? ""] where text.contains("{{") {
            return ("“\(text)” has a placeholder, and a dialog's rule is taken as it is written", "write plain words")
        }
        if let text, text.isCredential {
            return (
                "“\(text)” is a credential, and no dialog gets one",
                "dismiss the dialog, and enter the credential on the bank's page"
            )
        }
        return nil
    }
}
