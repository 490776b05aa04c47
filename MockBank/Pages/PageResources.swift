/// The bank's pages, style sheet and script: the files of `Resources`.
///
/// They are compiled into the program, so that a copied binary still contains them.
enum PageResources {
    /// Mustache templates by name.
    static let templates: [String: String] = [
        "accounts": PackageResources.accounts_mustache,
        "app": PackageResources.app_mustache,
        "cards": PackageResources.cards_mustache,
        "challenge": PackageResources.challenge_mustache,
        "code": PackageResources.code_mustache,
        "codeFrame": PackageResources.codeFrame_mustache,
        "confirmation": PackageResources.confirmation_mustache,
        "cookiesNeeded": PackageResources.cookiesNeeded_mustache,
        "documentUnavailable": PackageResources.documentUnavailable_mustache,
        "foot": PackageResources.foot_mustache,
        "goodbye": PackageResources.goodbye_mustache,
        "handOver": PackageResources.handOver_mustache,
        "head": PackageResources.head_mustache,
        "locked": PackageResources.locked_mustache,
        "login": PackageResources.login_mustache,
        "maintenance": PackageResources.maintenance_mustache,
        "maker": PackageResources.maker_mustache,
        "method": PackageResources.method_mustache,
        "newPassword": PackageResources.newPassword_mustache,
        "notFound": PackageResources.notFound_mustache,
        "offer": PackageResources.offer_mustache,
        "pad": PackageResources.pad_mustache,
        "portal": PackageResources.portal_mustache,
        "question": PackageResources.question_mustache,
        "serverError": PackageResources.serverError_mustache,
        "singlePage": PackageResources.singlePage_mustache,
        "statementPage": PackageResources.statementPage_mustache,
        "statements": PackageResources.statements_mustache,
        "terms": PackageResources.terms_mustache,
        "tooOld": PackageResources.tooOld_mustache,
        "webForm": PackageResources.webForm_mustache,
        "welcome": PackageResources.welcome_mustache,
        "word": PackageResources.word_mustache,
    ].mapValues(text(of:))

    static let style = text(of: PackageResources.style_css)
    static let script = text(of: PackageResources.app_js)
    static let singlePage = text(of: PackageResources.singlePage_js)
    /// The service worker of the single-page app.
    static let worker = text(of: PackageResources.worker_js)
    /// The script that the hostile bank adds; `FOREIGN` stands for the host that it tries to reach.
    static let hostile = text(of: PackageResources.hostile_js)

    /// Returns the text of a file without its final newline, which the file needs and the page does not.
    private static func text(of file: [UInt8]) -> String {
        String(decoding: file.last == UInt8(ascii: "\n") ? file.dropLast() : file[...], as: UTF8.self)
    }
}
