import ArgumentParser
import Assistant
import Foundation
import Logging
import ServiceLifecycle
import Terminal

struct AssistantCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "assistant", abstract: "Run the hosted assistant, and invite people to it.",
        subcommands: [AssistantServeCommand.self, AssistantInviteCommand.self])
}

extension AssistantConfigurationError: ConfigurationError {}

struct AssistantServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serve the assistant's API.",
        discussion: """
            Configured by environment variables:
              ASSISTANT_HOST (127.0.0.1), ASSISTANT_PORT (8790)
              ASSISTANT_PUBLIC_URL               the URL that people open; passkeys belong to its host
              ASSISTANT_DATABASE_URL             sqlite:PATH, or postgres://USER@HOST/DATABASE; by default a file in
                                                 the state folder, $XDG_DATA_HOME/countersign/assistant
              ASSISTANT_DATABASE_PASSWORD_FILE   a file of mode 0600 with PostgreSQL's password
              ASSISTANT_SIGNUP (invite)          who may become a user: open, invite or closed
              ASSISTANT_APPLE_AUDIENCE           the app's bundle id; required for Sign in with Apple
              ASSISTANT_APPLE_ISSUER, ASSISTANT_APPLE_JWKS_URL   by default Apple's own
              ASSISTANT_CA_FILE                  more certificate authorities for outgoing connections (PEM)
              ASSISTANT_AUDIT_DAYS (400)         the days for which audit events are kept
            """)

    @Option(
        help:
            "The format of the log on standard error: \(LogFormat.allCases.map(\.rawValue).joined(separator: " or "))."
    )
    var log = LogFormat.text

    func run() async throws {
        let format = log
        var logger = Logger(label: "countersign.assistant") { CleanLogHandler(label: $0, format: format) }
        logger.logLevel = .info
        try await reportingFailures {
            let configuration = try AssistantConfiguration(environment: ProcessInfo.processInfo.environment)
            let ready = logger
            let service = try AssistantService(configuration, logger: logger) { port in
                ready.info("assistant is ready", metadata: ["address": "http://\(configuration.host):\(port)"])
            }
            try await ServiceGroup(
                configuration: .init(
                    services: [service], gracefulShutdownSignals: [.sigterm, .sigint],
                    logger: Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() })
            ).run()
            logger.info("assistant has ended")
        }
    }
}

struct AssistantInviteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite", abstract: "Make an invitation for one new user, and print its code.")

    @Option(help: "The days for which the code works, 1 to 365.")
    var days = 7

    func validate() throws {
        guard (1...365).contains(days) else { throw ValidationError("--days must be a number from 1 to 365") }
    }

    func run() async throws {
        let code = try await reportingFailures {
            let configuration = try AssistantConfiguration(environment: ProcessInfo.processInfo.environment)
            return try await AssistantAdministration(configuration).invite(days: days)
        }
        print(code)
    }
}
