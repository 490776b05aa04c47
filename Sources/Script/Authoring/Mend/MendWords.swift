import Foundation

/// Words by which a mend knows what a control or a page is for, in the languages of many banks.
enum MendWords {
    /// Names that banks use for the same control.
    private static let sameMeaning: [[String]] = [
        [
            "sign in", "log in", "login", "log on", "logon", "sign on", "anmelden", "einloggen", "connexion",
            "se connecter",
        ],
        [
            "statements", "e-statements", "documents", "post", "mailbox", "letters", "archive", "kontoauszüge",
            "postfach",
        ],
        [
            "pdf", "download", "download pdf", "download document", "get document", "document", "save", "open pdf",
            "herunterladen", "télécharger",
        ],
        ["next", "older", "more", "next page", "older statements", "show more", "weiter", "ältere", "suivant"],
        ["show", "apply", "go", "view", "display", "update", "search", "anzeigen", "afficher", "filter"],
        ["sign out", "log out", "logout", "log off", "abmelden", "déconnexion"],
        ["username", "user name", "user id", "customer number", "login name", "benutzername", "identifiant"],
        ["one-time code", "security code", "verification code", "passcode", "access code", "tan"],
        ["year", "period", "jahr", "année"],
    ]

    /// Controls that leave a page without agreeing to anything.
    private static let leaving = [
        "no, thank you", "no, thanks", "no thanks", "no thank you", "not now", "later", "maybe later",
        "remind me later", "skip", "skip this", "close", "dismiss", "only necessary", "necessary only",
        "only necessary cookies", "reject all", "reject", "decline", "decline all", "continue without accepting",
        "nein, danke", "nein danke", "später", "überspringen", "nur notwendige", "alle ablehnen", "ablehnen",
        "schließen", "non, merci", "plus tard", "tout refuser", "ignorer", "fermer",
    ]

    /// Controls that go on.
    private static let onward = [
        "continue", "go on", "next", "proceed", "ok", "yes", "confirm", "show", "view", "open", "weiter", "fortfahren",
        "ja", "bestätigen", "continuer", "oui", "confirmer",
    ]

    /// Words of a page on which going on may bind the person.
    private static let binding = [
        "terms", "conditions", "agree", "agreement", "accept", "consent", "contract", "subscribe", "apply for", "loan",
        "credit limit", "fee", "bedingungen", "zustimmen", "zustimmung", "akzeptieren", "vertrag", "kostenpflichtig",
        "conditions générales", "accepter", "contrat", "condiciones", "aceptar", "acepto", "contrato",
    ]

    /// Words of a page that may move money: even a refusal decides something there.
    private static let money = [
        "order", "buy", "purchase", "pay", "payment", "transfer", "beneficiary", "payee", "amount", "authorise",
        "authorize", "überweisung", "überweisen", "lastschrift", "empfänger", "betrag", "freigeben", "virement",
        "payer", "bénéficiaire", "montant", "acheter", "commander", "zahlen", "bezahlen", "kaufen", "bestellen",
        "pagar",
        "pago", "comprar", "transferencia", "transferir", "beneficiario", "importe",
    ]

    /// Words of a control that takes something away.
    private static let removing = [
        "delete", "remove", "erase", "close account", "close my account", "close the account", "löschen", "entfernen",
        "kündigen", "supprimer", "effacer", "résilier", "eliminar", "borrar", "cancelar",
    ]

    /// Words in the title or the headline of a page that shows trouble.
    private static let trouble = [
        "error", "unavailable", "maintenance", "locked", "blocked", "suspended", "expired", "has ended", "timed out",
        "not found", "went wrong", "try again later", "fehler", "wartung", "gesperrt", "abgelaufen", "nicht verfügbar",
        "erreur", "indisponible", "bloqué", "expiré",
    ]

    static func meanTheSame(_ left: String, _ right: String) -> Bool {
        let left = folded(left)
        let right = folded(right)
        return sameMeaning.contains { words in
            words.contains { mentions(left, $0) } && words.contains { mentions(right, $0) }
        }
    }

    static func isLeaving(_ name: String) -> Bool { leaving.contains(folded(name)) }

    static func isGoingOn(_ name: String) -> Bool {
        let name = folded(name)
        return onward.contains { name == $0 || name.hasPrefix($0 + " ") }
    }

    /// Returns a word of the text that may bind the person or move money; nil without one.
    static func binding(in text: String) -> String? {
        let text = folded(text)
        return (binding + money).first { mentions(text, $0) }
    }

    /// Returns a word of a control's name that may bind the person, move money or take something away; nil without one.
    static func commitment(in name: String) -> String? {
        let name = folded(name)
        return (binding + money + removing).first { mentions(name, $0) }
    }

    /// Returns a word of the text that may move money; nil without one.
    static func money(in text: String) -> String? {
        let text = folded(text)
        return money.first { mentions(text, $0) }
    }

    static func trouble(in text: String) -> String? {
        let text = folded(text)
        return trouble.first { mentions(text, $0) }
    }

    private static func folded(_ text: String) -> String {
        text.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
            .trimmingCharacters(in: CharacterSet(charactersIn: ".!…›»→ "))
    }

    private static func mentions(_ text: String, _ word: String) -> Bool {
        var rest = text[...]
        while let range = rest.range(of: word) {
            let before = range.lowerBound > text.startIndex ? text[text.index(before: range.lowerBound)] : " "
            let after = range.upperBound < text.endIndex ? text[range.upperBound] : " "
            if !before.isLetter, !after.isLetter { return true }
            rest = text[range.upperBound...]
        }
        return false
    }
}
