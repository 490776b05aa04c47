import Automation
import BankScript
import Encodings
import Foundation
import KeyVault
import Machine
import Phone
import PhoneStore

/// The pages on which a bank is added: the choice of its script, the script with all that a person reads, and the end.
enum AddBankView {
    /// The reason why a script was not taken, above the form.
    struct Refusal {
        /// In the page's language.
        let sentence: String
        /// The program's own words, in English and over several lines.
        var message: String?

        init(_ sentence: String, message: String? = nil) {
            self.sentence = sentence
            self.message = message
        }

        init(_ refusal: ScriptRefusal) {
            switch refusal {
            case .forTesting(let bank):
                self.init(PageText.of("add.testing", ["bank": bank.inLine(limit: 80)]))
            case .another(_, let bank, let file):
                self.init(
                    PageText.of(
                        "add.another", ["bank": bank.inLine(limit: 80), "file": file.inLine(limit: 400)]),
                    message: "countersign script accept \(ShellWord.quoted(file.inLine(limit: 400)))")
            case .changed: self.init(PageText.of("add.changed"))
            case .changedLater(signedIn: false): self.init(PageText.of("add.changed-later"))
            case .changedLater(signedIn: true): self.init(PageText.of("add.changed-after-login"))
            case .told(let message): self.init(PageText.of("add.refused"), message: message)
            case .hindered(let message): self.init(PageText.of("add.hindered"), message: message)
            case .uncounted(let message): self.init(PageText.of("add.uncounted"), message: message)
            }
        }
    }

    // MARK: Choosing

    /// - Parameters:
    ///   - atHand: nil where the phone has no folder for scripts.
    ///   - text: what stays in the form.
    static func values(_ atHand: ScriptsAtHand?, after refusal: Refusal?, text: String) -> [String: Any] {
        var values: [String: Any] = [
            "mayAdd": atHand != nil, "text": text, "most": String(ScriptFolder.largest),
            "scripts": (atHand?.scripts ?? []).map { script in
                [
                    "key": script.key, "bank": script.bankID.inLine(limit: 64),
                    "name": script.name.inLine(limit: 80),
                    "kind": words(of: script.kind),
                ]
            },
        ]
        if let refusal {
            var shown: [String: Any] = ["sentence": refusal.sentence]
            shown["message"] = refusal.message
            // A command to run is in no language.
            shown["inEnglish"] = PageText.isForeign && refusal.message?.hasPrefix("countersign ") == false
            values["refusal"] = shown
        }
        if let names = atHand?.distantCollections, !names.isEmpty {
            let quoted = names.map { PageText.of("asker.quoted", ["name": $0.inLine(limit: 64)]) }
            values["distant"] = ["names": quoted.joined(separator: ", ")]
        }
        return values
    }

    private static func words(of kind: ScriptAtHand.Kind) -> String {
        switch kind {
        case .ready: PageText.of("add.kind-ready")
        case .inFolder: PageText.of("add.kind-folder")
        case .pluggedIn: PageText.of("add.kind-plugged")
        case .collected(let name): PageText.of("add.kind-collection", ["collection": name.inLine(limit: 64)])
        }
    }

    // MARK: Accepting

    /// The parts of a form that stay when it is shown again. No secret is among them.
    struct Kept {
        var username = ""
        var signsIn = true
    }

    /// - Parameter wrong: the reason why the bank was not added, beside the passphrase.
    static func values(of read: ReadScript, keeping kept: Kept, wrong: String?, slots: [KeySlot]) -> [String: Any] {
        let script = read.script
        let needsBoth = slots.contains(where: \.needsBoth)
        var values: [String: Any] = [
            "name": script.name.inLine(limit: 80), "digest": script.digest.hex,
            "lines": read.lines.map { line -> [String: Any] in
                let text = line.isAboveValues ? PageText.of("add.leaves") : line.text.visible
                return ["text": text, "weight": line.weight.rawValue, "own": line.isAboveValues]
            },
            "question": AcceptanceWords.parts(AcceptanceQuestion(script)).map { part -> [String: Any] in
                ["text": part.text, "isOrigin": part.isOrigin]
            },
            "byPasskey": !needsBoth && slots.contains { !$0.isPassphrase }, "both": needsBoth,
            "fields": script.credentials.map { name -> [String: String] in
                // A person can see what they type, unless it is a secret by itself.
                let isShown = name == "username"
                return [
                    "name": name, "label": RequestWords.label(of: name), "type": isShown ? "text" : "password",
                    "kept": isShown ? kept.username : "",
                ]
            },
            "trial": read.isInTrial, "plugged": read.isPluggedIn, "connects": script.exchange?.needsOwner == true,
        ]
        if let wrong { values["wrong"] = ["words": wrong] }
        if read.offersTestLogin { values["tries"] = ["ticked": kept.signsIn] }
        if !read.preparations.isEmpty { values["prepares"] = ["preparations": read.preparations] }
        return values
    }

    // MARK: The end

    /// - Parameters:
    ///   - isAccepted: true if the script is accepted now.
    ///   - describe: returns the words for an error that is not a refusal.
    static func values(
        of addition: BankAddition, isAccepted: Bool, describing describe: (any Error) -> String
    ) -> [String: Any] {
        let script = addition.script
        var values: [String: Any] = [
            "name": script.name.inLine(limit: 80), "bank": script.id, "digest": script.digest.hex,
        ]
        switch addition.end {
        case nil:
            values["underWay"] = true
            values["mayCancel"] = addition.signsIn && !addition.isCancelled
            values["stops"] = addition.isCancelled
        case .added(let bank, let served)?:
            values["added"] = true
            if case .unused(let reason) = served {
                values["restart"] = reason == nil
                if let reason { values["unused"] = ["reason": ReportText.cleaned(reason, limit: 600)] }
            }
            values["connects"] = script.exchange?.needsOwner == true
            values["login"] = words(of: bank.stored)
            if case .unanswered(let message, _) = bank.stored { values["detail"] = ReportText.cleaned(message) }
            if let warning = bank.warning { values["warning"] = ["message": ReportText.cleaned(warning, limit: 600)] }
        case .failed(let error)?:
            var told = failure(error, describe)
            // What is built in needs no acceptance, so none stays.
            told["stays"] = isAccepted && !addition.read.isPluggedIn
            values["failed"] = told
        }
        return values
    }

    private static func words(of stored: StoredCredentials) -> String {
        switch stored {
        case .untried: PageText.of("add.untried")
        case .accepted: PageText.of("add.accepted")
        case .unseen: PageText.of("add.unseen")
        case .unanswered(_, asksAgain: false): PageText.of("add.unanswered")
        case .unanswered(_, asksAgain: true): "\(PageText.of("add.unanswered")) \(PageText.of("add.asks-again"))"
        case .codeRefused: PageText.of("add.code-refused")
        }
    }

    /// Returns why a bank was not added. Of a refusal it is known that no credentials are stored.
    private static func failure(_ error: any Error, _ describe: (any Error) -> String) -> [String: Any] {
        var values: [String: Any] = ["title": PageText.of("add.not-added")]
        switch error {
        case let error as CredentialsRefusal:
            values.merge(refusal(error)) { $1 }
        case let error as ScriptRefusal:
            let refusal = Refusal(error)
            values["reason"] = refusal.sentence
            values["detail"] = refusal.message.map { ReportText.cleaned($0, limit: 2_000) }
            if case .uncounted = error { values["title"] = PageText.of("add.removed") }
        case is CancellationError:
            values["reason"] = PageText.of("add.cancelled")
        default:
            values["title"] = PageText.of("add.ended")
            values["reason"] = describe(error)
        }
        return values
    }

    private static func refusal(_ refusal: CredentialsRefusal) -> [String: Any] {
        var values: [String: Any] = [:]
        switch refusal {
        case .refused(let words):
            values["reason"] = PageText.of("add.credentials-refused")
            values["words"] = words.map { ReportText.cleaned($0) }
        case .notLetIn(let message, let words):
            values["reason"] = PageText.of("add.not-let-in")
            values["detail"] = ReportText.cleaned(message)
            values["words"] = words.map { ReportText.cleaned($0) }
        case .codesRefused(let count):
            values["reason"] = PageText.of("add.codes-refused", ["count": String(count)])
        case .refusedBefore: values["reason"] = PageText.of("add.refused-before")
        case .noMoreCodes(let count):
            values["reason"] = PageText.of("add.too-many-codes", ["count": String(count)])
        case .tooManyLogins(let count, let end):
            values["reason"] = PageText.of(
                "add.too-many-logins", ["count": String(count), "time": PageViews.time(end)])
        }
        return values
    }
}
