import Encodings

/// Words for what only the owner may know, in the languages of the banks.
///
/// A draft has more words to tell a form's fields apart. These stop a script, so each means a secret in every place.
enum SecretWords {
    private static let parts = [
        "password", "passcode", "passphrase", "secret", "passwort", "kennwort", "geheimzahl", "mot de passe",
        "contraseña", "wachtwoord", "hasło", "lösenord", "palavra-passe", "senha de",
    ]
    private static let words: Set<String> = ["pin", "passwd", "pwd", "clave", "senha"]
    private static let codes: Set<String> = ["tan", "otp", "smstan", "mtan", "phototan", "chiptan", "pushtan", "totp"]
    private static let codeParts = ["one-time", "one time", "security code", "sicherheitscode", "einmalpasswort"]
    private static let keys = ["apikey", "api-key", "api_key", "token", "key", "auth", "session"]

    /// The place of a value, and of the words that say what it is.
    enum Place {
        /// A field of a page, with a label.
        case field
        /// A list, whose options are on the page for everybody, also below a label with a password in it.
        case list
        /// A name of an interface, such as a header's, whose last word says what the value is: `X-Secret-Version` is a version.
        case name
    }

    /// Returns true for a value that switches something, such as that of `passwordless=false`.
    static func isSwitch(_ value: String) -> Bool {
        value.count == 1 || ["true", "false", "yes", "no", "on", "off"].contains(value.lowercased())
    }

    /// Returns true for the name of a field that asks for a password or a PIN.
    static func isPassword(_ field: String, _ place: Place = .field) -> Bool {
        let field = field.lowercased()
        if place == .name {
            let last = field.split { !($0.isLetter || $0.isNumber) }.last.map(String.init) ?? ""
            return parts.contains(last) || words.contains(last)
        }
        return parts.contains(where: field.contains) || !words.isDisjoint(with: split(field))
    }

    /// Returns true for a field that asks for a one-time code, with a value that may be one. “TAN procedure” has another value.
    static func isCode(_ value: String, for field: String) -> Bool {
        let field = field.lowercased()
        guard codeParts.contains(where: field.contains) || !codes.isDisjoint(with: split(field)) else { return false }
        let digits = value.filter { !" -".contains($0) }
        return (4...12).contains(digits.count) && digits.allSatisfy { $0.isASCII && $0.isNumber }
    }

    /// Returns true for the name of a key or token, with a value that looks made by a machine. A bank's app may send one that
    /// everybody has.
    static func isKey(_ value: String, for field: String) -> Bool {
        let field = field.lowercased()
        return keys.contains(where: field.contains) && isMachineMade(value)
    }

    /// Returns true for a long text of letters and digits without spaces.
    private static func isMachineMade(_ value: String) -> Bool {
        value.utf8.count >= 16 && value.contains(where: \.isNumber) && value.contains(where: \.isLetter)
            && value.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-._~+/=".contains($0)) }
    }

    private static func split(_ field: String) -> Set<String> {
        Set(field.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init))
    }
}
