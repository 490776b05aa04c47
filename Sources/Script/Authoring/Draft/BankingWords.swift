import Foundation

/// Words of online banking in a few languages. They tell the purpose of a page's controls.
enum BankingWords {
    private static let signOut = [
        "sign out", "sign off", "log out", "log off", "logout", "abmelden", "ausloggen", "déconnexion",
        "se déconnecter",
        "cerrar sesión", "desconectar", "esci", "uitloggen", "afmelden", "wyloguj", "logga ut", "terminar sessão",
    ]
    private static let statements = [
        "statements", "e-statements", "documents", "kontoauszüge", "kontoauszug", "auszüge", "postfach", "dokumente",
        "relevés", "relevé", "e-documents", "extractos", "estratti conto", "documenti", "afschriften",
        "rekeningafschriften", "wyciągi", "kontoutdrag", "extratos", "mailbox", "archive",
    ]
    private static let next = [
        "next", "next page", "older", "more", "weiter", "nächste", "nächste seite", "suivant", "page suivante",
        "siguiente", "successivo", "avanti", "volgende", "następna", "nästa", "seguinte", "›", "»", ">",
        "weitere", "weitere auszüge", "ältere", "ältere auszüge", "mehr", "more statements", "older statements",
        "load more", "show more", "relevés suivants",
    ]
    private static let code = [
        "one-time", "one time", "otp", "tan", "security code", "passcode", "verification", "authenticator", "sms",
        "einmal", "sicherheitscode", "code de sécurité", "código", "codice", "code",
    ]

    private static let password = [
        "password", "passwort", "passwd", "pwd", "pin", "kennwort", "geheimzahl", "passphrase", "mot de passe",
        "code secret",
        "contraseña", "clave", "wachtwoord", "hasło", "lösenord", "senha", "palavra-passe", "parola", "secret",
        "memorable",
    ]
    private static let username = [
        "username", "user", "userid", "login", "loginid", "customer", "customer number", "kunde", "kundennummer",
        "anmeldename", "benutzer", "benutzername", "teilnehmer", "identifiant", "usuario", "utente", "gebruiker",
        "gebruikersnaam", "użytkownik", "användare", "utilizador", "email", "e-mail",
    ]

    static func isPassword(_ label: String) -> Bool { mentions(spelledOut(label), password) }
    static func isUsername(_ label: String) -> Bool { mentions(spelledOut(label), username) }
    static func isSignOut(_ label: String) -> Bool { mentions(label, signOut) }
    static func isStatements(_ label: String) -> Bool { mentions(label, statements) }

    /// Returns whether the label means the next page and nothing else.
    static func isNext(_ label: String) -> Bool { next.contains(folded(label)) }
    static func isCode(_ label: String) -> Bool { mentions(label, code) }

    private static func mentions(_ label: String, _ words: [String]) -> Bool {
        let label = folded(label)
        return words.contains { word in
            guard let range = label.range(of: word) else { return false }
            let before = range.lowerBound > label.startIndex ? label[label.index(before: range.lowerBound)] : " "
            let after = range.upperBound < label.endIndex ? label[range.upperBound] : " "
            return !before.isLetter && !after.isLetter
        }
    }

    /// Separates the words of an identifier such as `txtUserName` or `login_pin`.
    private static func spelledOut(_ label: String) -> String {
        label.replacing(/([a-z])([A-Z])/) { "\($0.1) \($0.2)" }.replacing("_", with: " ")
    }

    private static func folded(_ label: String) -> String {
        label.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
