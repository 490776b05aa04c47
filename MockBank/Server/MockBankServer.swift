import Foundation

/// The mock bank's settings.
package struct MockBankConfiguration: Sendable {
    /// The port to listen on; 0 for any free port.
    package var port = 0
    package var usesTLS = false
    package var username = "robin.ashdown"
    package var password = "correct horse"
    package var oneTimeCode = "123456"
    package var memorableWord = "lighthouse"
    package var pin = "407319"
    /// The token of the interfaces that want one.
    package var token = "mock-token-7Qk2vR9sLw4XeT1n"
    /// Checks a code instead of comparing it with ``oneTimeCode``, for a customer with an authenticator.
    package var acceptsCode: (@Sendable (String) -> Bool)?
    /// The maximum number of characters in the field for the code.
    package var codeLength = 6
    package var scenario = Scenario.happy
    /// The host, with its port, that the hostile scenario tries to reach.
    package var foreignHost = "collector.example"
    /// The current moment. The latest statement is for the month before it.
    package var today = Date()
    /// The clock by which requests are counted where the provider allows a number of them; nil counts none.
    package var countingClock: (@Sendable () -> Date)?

    /// Hears of each request, by its method and its path with the query, when it arrives.
    package var onRequest: (@Sendable (String, String) -> Void)?
    /// Hears of each page, by the name of its template and its HTML, when it is made.
    package var onPage: (@Sendable (_ template: String, _ html: String) -> Void)?

    package init() {}
}

/// The reason why the mock bank cannot start.
package struct MockBankError: Error, Sendable, CustomStringConvertible {
    package let message: String

    package var description: String { message }
}

/// *Meridian Savings*, a fictional bank that is served only on this machine.
package actor MockBankServer {
    /// The bank's origin, such as `https://localhost:40123`.
    package nonisolated let url: String
    /// The certificate of the authority that signed the bank's certificate, in PEM; nil over plain HTTP.
    package nonisolated let authorityPEM: String?
    /// The bank's public key in the form that scripts pin; nil over plain HTTP.
    package nonisolated let publicKeyPin: String?
    private let task: Task<Void, any Error>

    /// The same bank at `127.0.0.1`, which is another origin.
    package nonisolated var otherURL: String { url.replacing("://localhost:", with: "://127.0.0.1:") }

    /// Returns the PDF that the bank serves for a month of the customer's first account.
    /// - Parameter account: the id of an account; the first one for others.
    package static func statement(account: String = "everyday", month: Int, year: Int) -> [UInt8] {
        let account = Account.all.first { $0.id == account } ?? Account.all[0]
        return Statement(account: account, month: Month(year: year, month: month)).pdf()
    }

    /// The Flex query that the fake of Interactive Brokers knows.
    package static let flexQuery = InteractiveBrokersRoutes.queryID

    /// The client that the fake of Monzo knows.
    package static let monzoClient = (id: MonzoRoutes.clientID, secret: MonzoRoutes.clientSecret)

    /// The application that the fake of Enable Banking knows, with the key that signs for it, in PEM.
    public static let enableBankingApplication = (
        id: EnableBankingRoutes.applicationID, key: EnableBankingRoutes.privateKey
    )

    /// The bank of the fake's customer, as Enable Banking names it.
    public static let enableBankingBank = (name: "Plover Quay Bank", country: "XM")

    /// The address to which the fake of Enable Banking may lead a browser back.
    public static let enableBankingRedirect = EnableBankingRoutes.redirect

    /// Returns the setup token of a SimpleFIN server at an address.
    package static func setupToken(at url: String) -> String {
        Data((url + SimpleFINRoutes.claim).utf8).base64EncodedString()
    }

    /// Returns the amounts that a month's bookings have, such as `-11.95`, in the bank's order.
    ///
    /// - Parameter scenario: the scenario in which the first account is asked.
    package static func amounts(month: Int, year: Int, at scenario: Scenario) -> [String] {
        let month = Month(year: year, month: month)
        let amounts =
            scenario.isUp
            ? UpRoutes.amounts(in: month) : Statement(account: Account.all[0], month: month).transactions.map(\.amount)
        return amounts.map(UpRoutes.plain)
    }

    /// Returns the file that the scenario `every-kind` serves for a month of an account.
    ///
    /// - Parameters:
    ///   - format: the name in the address, such as `camt`; a PDF for others.
    ///   - days: the days of the month, as the scenario `day-ranges` serves them.
    package static func file(
        account: String, month: Int, year: Int, as format: String, days: ClosedRange<Int> = 1...31
    ) -> [UInt8] {
        let account = Account.all.first { $0.id == account } ?? Account.all[0]
        return Statement(account: account, month: Month(year: year, month: month)).during(days)
            .file(DocumentFormat.named(format) ?? .pdf)
    }

    private init(_ listener: BankListener) {
        url = listener.url
        authorityPEM = listener.certificates?.authorityPEM
        publicKeyPin = listener.certificates?.publicKeyPin
        task = listener.task
    }

    /// Starts the bank and returns when it accepts requests.
    ///
    /// - Throws: ``MockBankError`` if the port is in use, `CancellationError` if the caller is cancelled.
    package static func start(_ configuration: MockBankConfiguration = .init()) async throws -> MockBankServer {
        MockBankServer(
            try await BankListener.start(port: configuration.port, usesTLS: configuration.usesTLS) { router in
                BankRoutes(configuration: configuration).add(to: router)
            })
    }

    /// Serves until ``stop()``.
    package func run() async throws { try await task.value }

    package func stop() async {
        task.cancel()
        _ = try? await task.value
    }
}
