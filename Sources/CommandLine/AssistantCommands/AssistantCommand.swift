import ArgumentParser
import Assistant
import AssistantJobs
import AssistantPage
import AssistantProcesses
import Foundation
import Logging
import ServiceLifecycle
import Terminal

package struct AssistantCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "assistant", abstract: "Run the hosted assistant, and invite people to it.",
        subcommands: [
            AssistantServeCommand.self, AssistantWorkerCommand.self, AssistantEnclaveCommand.self,
            AssistantKeyServiceCommand.self, AssistantInviteCommand.self, AssistantRotateCommand.self,
            AssistantNotificationsCommand.self,
        ])

    package init() {}
}

extension AssistantConfigurationError: ConfigurationError {}

/// The options of a process of the assistant.
struct ProcessOptions: ParsableArguments {
    @Option(
        help:
            "The format of the log on standard error: \(LogFormat.allCases.map(\.rawValue).joined(separator: " or "))."
    )
    var log = LogFormat.text

    @Flag(help: .hidden)
    var endWithInput = false

    func logger(_ process: String) -> Logger {
        let format = log
        var logger = Logger(label: "countersign.assistant.\(process)") { CleanLogHandler(label: $0, format: format) }
        logger.logLevel = .info
        return logger
    }

    /// Runs services until a signal, or until standard input is over for a child of `serve`.
    func run(_ services: [any Service]) async throws {
        let group = ServiceGroup(
            configuration: .init(
                services: services, gracefulShutdownSignals: [.sigterm, .sigint],
                logger: Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() }))
        if endWithInput {
            ParentWatch.onEnd { Task { await group.triggerGracefulShutdown() } }
        }
        try await group.run()
    }
}

struct AssistantServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serve the assistant's API.",
        discussion: """
            It also starts a worker, a key service and an enclave for itself, the last two unless they run already.

            Configured by environment variables:
              ASSISTANT_HOST (127.0.0.1), ASSISTANT_PORT (8790)
              ASSISTANT_PUBLIC_URL               the URL that people open; passkeys belong to its host
              ASSISTANT_DATABASE_URL             sqlite:PATH, or postgres://USER@HOST/DATABASE; by default a file in
                                                 the state folder, $XDG_DATA_HOME/countersign/assistant
              ASSISTANT_DATABASE_PASSWORD_FILE   a file of mode 0600 with PostgreSQL's password
              ASSISTANT_SIGNUP (invite)          who may become a user: open, invite or closed
              ASSISTANT_APPLE_AUDIENCE           the app's bundle id; required for Sign in with Apple
              ASSISTANT_APPLE_ISSUER, ASSISTANT_APPLE_JWKS_URL   by default Apple's own
              ASSISTANT_GOOGLE_CLIENT_ID         the client at Google; required to connect calendars and mail
              ASSISTANT_GOOGLE_CLIENT_SECRET_FILE   a file of mode 0600 with its secret, if it has one
              ASSISTANT_GOOGLE_REDIRECT_URIS     where consents may lead back, with commas between the values
              ASSISTANT_GOOGLE_AUTH_URL, …_TOKEN_URL, …_REVOKE_URL, …_API_URL   by default Google's own
              ASSISTANT_STATE_TTL_SECONDS (600)  the seconds within which a consent has to come back
              ASSISTANT_ENCLAVE_SOCKET, ASSISTANT_KMS_SOCKET   by default in the state folder
              ASSISTANT_ENCLAVE_USER, ASSISTANT_KMS_USER       who runs these two, if they have users of their own
              ASSISTANT_EVIDENCE (software)      what makes the enclave's evidence: software, nitro or tpm; see
                                                 countersign assistant enclave --help
              ASSISTANT_CA_FILE                  more certificate authorities for outgoing connections (PEM)
              ASSISTANT_AUDIT_DAYS (400)         the days for which audit events are kept
              APNS_TEAM_ID, APNS_KEY_ID, APNS_KEY_FILE, APNS_TOPIC   Apple's push service, all four or none
              APNS_URL                           takes the place of both of Apple's addresses
              VAPID_SUBJECT                      a mailto: or https: contact for browsers' push services
              WEBPUSH_ORIGINS                    where browsers' push services may be; by default the known ones
            """)

    @OptionGroup var options: ProcessOptions

    @Flag(help: "Start no worker, no key service and no enclave; they run on their own.")
    var alone = false

    func run() async throws {
        try await reportingFailures {
            let environment = ProcessInfo.processInfo.environment
            let configuration = try AssistantConfiguration(environment: environment)
            // The settings of the worker that is started below: a mistake is told here, once.
            if !alone { _ = try WorkerConfiguration(environment: environment) }
            let logger = options.logger("serve")
            let pages = AssistantPage(AssistantPageSettings(configuration))
            let all = HouseholdProcesses.all(configuration.places)
            let service = try AssistantService(configuration, pages: pages, logger: logger) { port in
                Task {
                    // Processes that run on their own may be started later.
                    for command in alone ? [] : await HouseholdProcesses.absent(of: all, within: .seconds(30)) {
                        logger.warning(
                            "does not answer; what needs it fails until it does", metadata: ["process": "\(command)"])
                    }
                    logger.info("assistant is ready", metadata: ["address": "http://\(configuration.host):\(port)"])
                }
            }
            let children = alone ? [] : [HouseholdProcesses(all, environment: environment, logger: logger)]
            // The last service ends first, so the API ends before the processes that it calls.
            try await options.run(children + [service])
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
        let (code, address) = try await reportingFailures {
            let configuration = try AssistantConfiguration(environment: ProcessInfo.processInfo.environment)
            return (try await AssistantAdministration(configuration).invite(days: days), configuration.publicURL)
        }
        print(code)
        // Apart from the code, which a pipe takes alone.
        let place = address.map { ", at \($0.absoluteString)" } ?? ""
        Console.standard.error("the code works once, within \(days.counted("day"))\(place)")
    }
}

struct AssistantRotateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate", abstract: "Give the assistant a new key for the columns that it seals.",
        discussion: """
            The key is in root.key of the state folder, beside the database. Start the assistant anew afterwards: from then on \
            calendars, notices, rules and addresses of devices are sealed under the new version as they are written. What is \
            sealed already still opens, so no version goes, and the file belongs into the next backup. The master key of \
            Google's tokens is another one: countersign assistant kms rotate.
            """)

    func run() async throws {
        let version = try await reportingFailures {
            let configuration = try AssistantConfiguration(environment: ProcessInfo.processInfo.environment)
            return try StateKeys.rotate(in: configuration.state)
        }
        Console.standard.line(
            "version \(version) of root.key is the newest; start the assistant anew, and back the file up")
    }
}
