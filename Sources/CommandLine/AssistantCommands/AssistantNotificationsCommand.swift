import ArgumentParser
import Assistant
import Encodings
import Foundation
import Terminal

struct AssistantNotificationsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notifications", abstract: "Show the key for notifications of browsers, or change it.",
        discussion: """
            A browser's push service takes messages for it from the holder of one key alone, which the assistant made at its \
            first start.
            """,
        subcommands: [AssistantNotificationsListCommand.self, AssistantNotificationsRotateCommand.self],
        defaultSubcommand: AssistantNotificationsListCommand.self)

    fileprivate static func administration() throws -> AssistantAdministration {
        AssistantAdministration(try AssistantConfiguration(environment: ProcessInfo.processInfo.environment))
    }
}

struct AssistantNotificationsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Show the key's version, and how many browsers are notified.")

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await reportingFailures {
            let key = try await AssistantNotificationsCommand.administration().pushKey()
            if json {
                let line: JSONValue = [
                    "version": .number(Double(key.version)), "public_key": .string(key.publicKey),
                    "browsers": .number(Double(key.browsers)),
                ]
                return Console.standard.line(line.compactText())
            }
            Console.standard.line("The key is version \(key.version).")
            Console.standard.line("Browsers that are notified: \(key.browsers)")
        }
    }
}

struct AssistantNotificationsRotateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate", abstract: "Replace the key for notifications; browsers have to subscribe anew.",
        discussion: """
            Do this when another person may have the key, webpush.key in the state folder: with the addresses of the \
            subscriptions, it shows notices in the name of this assistant.

            The earlier key is deleted, and the browsers of all users that subscribed to it are forgotten. No browser is \
            notified until its user presses “Notify this browser” in the assistant's Settings. Telephones with the app, \
            sessions and connections to Google stay as they are.

            Stop the assistant first, and start it afterwards: one that runs goes on with the earlier key.
            """)

    @Flag(help: "Do not ask.")
    var yes = false

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await reportingFailures {
            let administration = try AssistantNotificationsCommand.administration()
            let count = try await administration.pushKey().browsers
            if !yes {
                try Asking.confirmChange(
                    "Browsers that are notified now, and whose users have to press “Notify this browser” again: \(count). Go on?"
                )
            }
            let next = try await administration.replacePushKey()
            if json {
                let line: JSONValue = [
                    "version": .number(Double(next.version)), "public_key": .string(next.publicKey),
                    "browsers_forgotten": .number(Double(next.browsers)),
                ]
                return Console.standard.line(line.compactText())
            }
            Console.standard.line("The key for notifications is version \(next.version) now.", .good)
            Console.standard.line("Browsers whose users have to press “Notify this browser” again: \(next.browsers)")
            Console.standard.line("Start the assistant anew: one that runs goes on with the earlier key.")
        }
    }
}
