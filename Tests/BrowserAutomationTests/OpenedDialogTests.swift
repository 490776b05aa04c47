import BankScript
import Encodings
import Testing

@testable import BrowserAutomation

@Suite("A dialog of a page")
struct OpenedDialogTests {
    private static let rules = [
        DialogRule(saying: "stay  signed in", answer: .accept()), DialogRule(saying: "leave", answer: .dismiss),
        DialogRule(saying: "name", answer: .accept(typing: "Office")),
        DialogRule(saying: "device", answer: .dismiss),
    ]

    static let dialogs: [(JSONValue, String)] = [
        (["type": "alert", "message": "Stay\nsigned in"], #"{"accept":true,"context":"w"}"#),
        (["type": "confirm", "message": "Do you want to STAY signed in?"], #"{"accept":true,"context":"w"}"#),
        (["type": "confirm", "message": "Leave this page?"], #"{"accept":false,"context":"w"}"#),
        // The first rule answers.
        (
            ["type": "prompt", "message": "Name this device", "defaultValue": "My computer"],
            #"{"accept":true,"context":"w","userText":"Office"}"#
        ),
        // A prompt keeps what the page proposes, and only a prompt gets a text.
        (
            ["type": "prompt", "message": "Stay signed in as", "defaultValue": "Robin"],
            #"{"accept":true,"context":"w","userText":"Robin"}"#
        ),
        (["type": "prompt", "message": "Stay signed in as"], #"{"accept":true,"context":"w","userText":""}"#),
        (["type": "confirm", "message": "Your name?"], #"{"accept":true,"context":"w"}"#),
        (["type": "prompt", "message": "Your device?", "defaultValue": "x"], #"{"accept":false,"context":"w"}"#),
    ]

    @Test("is answered by the first rule whose words it contains", arguments: dialogs)
    func answers(_ details: JSONValue, _ answer: String) {
        let dialog = OpenedDialog(opened(details), rules: Self.rules)
        #expect(dialog.rule != nil)
        #expect(dialog.answer.compactText() == answer)
    }

    @Test(
        "is dismissed where no rule names it",
        arguments: [
            ["type": "confirm", "message": "Pay now?"], ["type": "prompt", "message": "PIN?"],
        ] as [JSONValue])
    func unnamed(_ details: JSONValue) {
        let dialog = OpenedDialog(opened(details), rules: Self.rules)
        #expect(dialog.rule == nil)
        #expect(dialog.answer.compactText() == #"{"accept":false,"context":"w"}"#)
    }

    @Test("lets the browser leave a page that asks whether to")
    func leaving() {
        let dialog = OpenedDialog(opened(["type": "beforeunload", "message": ""]), rules: Self.rules)
        #expect(dialog.isAboutLeaving && dialog.rule == nil)
        #expect(dialog.answer.compactText() == #"{"accept":true,"context":"w"}"#)
    }

    private func opened(_ details: JSONValue) -> JSONValue {
        .object((details.objectValue ?? [:]).merging(["context": "w"]) { $1 })
    }
}
