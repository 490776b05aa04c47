import BankScript

/// A bank whose script stands ready, because it has an interface for its own customers.
///
/// Its script is accepted like any other one: the person reads what leaves before it runs.
package struct ReadyBank: Sendable {
    /// The bank's id, as in its script.
    package let id: String
    /// The country, or the kind of provider, for a person who chooses.
    package let place: String
    /// The name of the script's file.
    package let fileName: String
    /// The script as YAML.
    package let text: String
    /// The things to do at the provider before the phone asks for the credentials, in their order, with the pages to do them on.
    package let preparations: [String]

    /// - Throws: ``ScriptSyntaxError``; never for a script that ships.
    package func script() throws(ScriptSyntaxError) -> BankScript { try BankScript(yaml: text, file: fileName) }

    private init(
        _ id: String, _ place: String, _ fileName: String, _ bytes: [UInt8], _ preparations: [String]
    ) {
        self.id = id
        self.place = place
        self.fileName = fileName
        text = String(decoding: bytes, as: UTF8.self)
        self.preparations = preparations
    }

    /// The ready banks, in the order of their names.
    package static let all: [ReadyBank] = [
        ReadyBank(
            "enable-banking", "banks of the EU and the UK", "enable-banking.yaml", PackageResources.enable_banking_yaml,
            [
                "Add a production application, and link your own accounts to it: https://enablebanking.com/cp/applications",
                "Its redirect URL is your phone's page, https://your-page/oauth/enable-banking, or any https address of yours.",
                "Have its id, its key file (.pem), that URL, and your bank's name and country (such as DE) at hand.",
                "After the setup, say yes on the page, under Banks, or with: countersign phone banks connect enable-banking",
            ]),
        ReadyBank(
            "interactive-brokers", "broker", "interactive-brokers.yaml", PackageResources.interactive_brokers_yaml,
            [
                "Create an Activity Flex Query (Cash Transactions, XML, yyyy-MM-dd): https://www.interactivebrokers.com/portal",
                "Switch the Flex Web Service on there, and generate a token. Have the token and the Query ID at hand.",
            ]),
        ReadyBank(
            "monzo", "United Kingdom", "monzo.yaml", PackageResources.monzo_yaml,
            [
                "Create a confidential client with the redirect URL http://127.0.0.1:17265/: https://developers.monzo.com",
                "Have its id and its secret at hand. After the setup, say yes with: countersign phone banks connect monzo",
            ]),
        ReadyBank(
            "simplefin", "United States, many banks", "simplefin.yaml", PackageResources.simplefin_yaml,
            [
                "Connect your bank, and create a setup token: https://bridge.simplefin.org",
                "Do not claim it: the first run does, once.",
            ]),
        ReadyBank(
            "starling", "United Kingdom", "starling.yaml", PackageResources.starling_yaml,
            [
                "Link your account: https://developer.starlingbank.com",
                "Create a personal access token with account:read, account-list:read, statement-pdf:read, statement-csv:read.",
            ]),
        ReadyBank(
            "up", "Australia", "up.yaml", PackageResources.up_yaml,
            ["Generate a personal access token in Up's app, under Data sharing: https://api.up.com.au/getting_started"]),
    ]
}
