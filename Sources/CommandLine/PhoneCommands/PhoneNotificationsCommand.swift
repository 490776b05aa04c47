import ArgumentParser
import Clocks
import Encodings
import Foundation
import HouseholdCommands
import Notifications
import Phone
import PhoneStore
import Storage
import Terminal
import WebURL

struct PhoneNotificationsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notifications", abstract: "List the browsers that are notified, or change the key for it.",
        discussion: """
            A browser's push service takes messages for it from the holder of one key alone, which this phone made when the \
            page was first served with VAPID_SUBJECT.
            """,
        subcommands: [PhoneNotificationsListCommand.self, PhoneNotificationsRotateCommand.self],
        defaultSubcommand: PhoneNotificationsListCommand.self)

    /// Returns this phone as push services know it; nil when it never notified a browser.
    fileprivate static func server(of home: PhoneHome) throws -> ApplicationServer? {
        guard FileManager.default.fileExists(atPath: home.pushKeyFile.path) else { return nil }
        return try ApplicationServer(keyFile: home.pushKeyFile, subject: nil)
    }
}

struct PhoneNotificationsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the push services of the browsers that are notified, and the key's version.")

    @OptionGroup var home: HomeOption

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await reportingFailures {
            let home = try home.phone()
            guard let server = try PhoneNotificationsCommand.server(of: home) else {
                throw CommandFailure(
                    "this phone has no key for notifications yet; the page makes one when VAPID_SUBJECT is set")
            }
            let subscriptions = try await PhoneDatabase(home).pushSubscriptions()
            if json {
                let line: JSONValue = [
                    "version": .number(Double(server.version)), "public_key": .string(server.publicKey),
                    "browsers": .array(
                        subscriptions.map {
                            [
                                "push_service": .string($0.host), "since": .string(Timestamp($0.createdAt).description),
                                "delivered": $0.deliveredAt.map { .string(Timestamp($0).description) } ?? .null,
                            ]
                        }),
                ]
                return Console.standard.line(line.compactText())
            }
            Console.standard.line("The key is version \(server.version).")
            for subscription in subscriptions {
                let last = subscription.deliveredAt.map { "; last taken \(Timestamp($0))" } ?? ""
                Console.standard.line(
                    "  \(subscription.host.inLine())  since \(Timestamp(subscription.createdAt))\(last)")
            }
            if subscriptions.isEmpty { Console.standard.line("  no browser is notified", .faint) }
        }
    }
}

extension StoredSubscription {
    fileprivate var host: String { (try? URLRecord(parsing: endpoint))?.host?.description ?? "" }
}

struct PhoneNotificationsRotateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate", abstract: "Replace the key for notifications; browsers have to subscribe anew.",
        discussion: """
            Do this when another person may have the key, for example from a stolen disk or a copy of the phone's folder: with \
            the addresses of the subscriptions, it shows notices in the name of this phone.

            The earlier key is deleted and the subscriptions to it are forgotten. No browser is notified until it opens the \
            page once more, which subscribes it again where the browser allows that; else choose “Notify this browser” under \
            Settings. Passkeys, known browsers, requests and the vault stay as they are. Stop the page first.
            """)

    @OptionGroup var home: HomeOption

    @Flag(help: "Do not ask.")
    var yes = false

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await reportingFailures {
            let home = try home.phone()
            let lock = try home.claimClosedPage()
            defer { withExtendedLifetime(lock) {} }
            guard let server = try PhoneNotificationsCommand.server(of: home) else {
                throw CommandFailure("this phone has no key for notifications that could be replaced")
            }
            let store = try PhoneDatabase(home)
            let count = try await store.pushSubscriptions().count
            if !yes {
                try Asking.confirmChange(
                    "Browsers that are notified now, and have to open the page for it again: \(count). Go on?")
            }
            // First the subscriptions: one that stayed behind the key would never be heard of.
            let forgotten = try await store.forgetSubscriptions()
            let next: ApplicationServer
            do {
                next = try server.replaced(in: home.pushKeyFile)
            } catch {
                for _ in 0..<forgotten { try await store.audit.record(AuditEvent(.notificationsRemoved)) }
                throw error
            }
            try await store.audit.record(
                AuditEvent(
                    .notificationsKeyReplaced, severity: .warning,
                    details: ["version": .number(Double(next.version)), "count": .number(Double(forgotten))]))
            if json {
                let line: JSONValue = [
                    "version": .number(Double(next.version)), "public_key": .string(next.publicKey),
                    "browsers_forgotten": .number(Double(forgotten)),
                ]
                return Console.standard.line(line.compactText())
            }
            Console.standard.line("The key for notifications is version \(next.version) now.", .good)
            Console.standard.line("Browsers that have to open the page again: \(forgotten)")
            Console.standard.line("To start the page: \(self.home.startCommand)")
        }
    }
}
