import BankScript
import Messages
import Selectors

/// Answers of firewalls and robot walls, which stand before many banks and know nothing of the customer.
enum RobotWall {
    /// Texts of the usual walls (Akamai, Cloudflare, DataDome, F5, HUMAN, Imperva), in lower case. Each of them fills a page.
    private static let texts = [
        "incapsula incident id", "pardon our interruption", "attention required! | cloudflare",
        "checking your browser before accessing", "verify you are human", "verify that you are human",
        "verifying you are human", "confirm you are a human", "are you a robot", "you are not a robot",
        "unusual traffic from your", "automated access", "your support id is", "access to this page has been denied",
        "you don't have permission to access", "request blocked", "bot protection", "verify you are a human",
        "confirm you are human", "i'm not a robot", "kein roboter", "pas un robot", "no soy un robot",
        "non sono un robot",
        "sucuri website firewall", "ddos protection", "disable any ad blocker", "complete the security check",
        "enable javascript and cookies to continue", "human verification",
    ]

    /// The scripts and frames of walls whose pages have hardly a text of their own.
    private static let parts = [
        "script[src*='/cdn-cgi/challenge-platform/']", "[src*='_Incapsula_Resource']",
        "script[src*='captcha-delivery.com/']",
        "script[src*='.awswaf.com/']",
    ].map(Locator.css)

    /// A page with more text is one of the bank's own.
    private static let longest = 2000

    static func isPage(_ page: EnginePage) -> Bool {
        let text = (page.title + " " + page.text).lowercased().replacing("’", with: "'")
        guard text.count <= longest, !page.finds(.css("input[type=password]")) else { return false }
        return texts.contains(where: text.contains) || parts.contains(where: page.finds)
    }
}

extension RunFailure {
    /// Explains a page that turns the program away; nil for any other page.
    init?(turnedAwayBy page: EnginePage) {
        let isWall = RobotWall.isPage(page)
        guard isWall || page.status == 403 || page.status == 429 else { return nil }
        let answer = page.status >= 400 ? "the bank answered \(page.status)" : "the bank showed a page against robots"
        let why = page.status == 429 ? "it is asked too often" : "it, or a firewall before it, turns this program away"
        let wait = RetryAfter(page.headers).map { "wait \($0.words)" } ?? "wait some hours"
        self.init(
            .navigationFailed, reason: .refusedByBank,
            message:
                "\(answer): \(why). Look whether the page opens in your own browser; \(wait) before the next run, run less "
                + "often, and try “engine: browser” in the script")
    }
}
