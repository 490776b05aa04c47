import Assistant
import AssistantJobs
import Clocks
import Crypto
import Foundation
import KeyCustody
import Logging
import Machine
import MockGoogle
import ServiceLifecycle
import Terminal

/// The assistant's four processes, as tasks of this one: a demo has a clock of its own, which other processes do not know.
struct DemoServices: Sendable {
    let home: URL
    let clock: DemoClock
    let google: MockGoogleServer
    let push: MockPush

    /// Runs the services while `body` uses them.
    ///
    /// - Parameter body: gets the address of the API.
    func run(_ body: @Sendable @escaping (String) async throws -> Void) async throws {
        let environment = try environment()
        var logger = Logger(label: "countersign.demo") { CleanLogHandler(label: $0) }
        logger.logLevel = .warning
        let now: @Sendable () -> Date = { [clock] in clock.now }
        let brokerClock = BrokerClock(wall: now)
        let (ready, report) = AsyncStream<Int>.makeStream()
        let services: [any Service] = [
            KeyServiceProcess(
                try KeyServiceConfiguration(environment: environment), logger: logger, now: now,
                onReady: { report.yield(0) }),
            EnclaveProcess(
                try EnclaveConfiguration(environment: environment), logger: logger, now: now,
                onReady: { report.yield(0) }),
            try AssistantService(
                try AssistantConfiguration(environment: environment), logger: logger, clock: brokerClock,
                onReady: { report.yield($0) }),
        ]
        let worker = WorkerProcess(
            try WorkerConfiguration(environment: environment), logger: logger, clock: brokerClock,
            leasesByClock: true)
        let group = ServiceGroup(
            configuration: .init(
                services: services + [worker], logger: Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() }))
        try await withThrowingTaskGroup(of: Result<Void, any Error>?.self) { tasks in
            tasks.addTask {
                defer { report.finish() }
                try await group.run()
                return nil
            }
            // A failure waits for the shutdown: thrown here, it would cancel the services in the middle.
            tasks.addTask {
                var port = 0
                var count = 0
                for await reported in ready {
                    port = max(port, reported)
                    count += 1
                    guard count == services.count else { continue }
                    let outcome: Result<Void, any Error>
                    do {
                        try await body("http://127.0.0.1:\(port)")
                        outcome = .success(())
                    } catch {
                        outcome = .failure(error)
                    }
                    await group.triggerGracefulShutdown()
                    return outcome
                }
                return nil
            }
            var outcome: Result<Void, any Error>?
            while let finished = try await tasks.next() { outcome = finished ?? outcome }
            guard let outcome else { throw CommandFailure("the assistant ended before the demo did") }
            try outcome.get()
        }
    }

    private func environment() throws -> [String: String] {
        try PrivateFolder.make(home)
        let secret = home.appending(path: "google.secret")
        try AtomicFile.write(Array("mock-client-secret\n".utf8), to: secret)
        let key = home.appending(path: "apns.p8")
        try AtomicFile.write(Array(push.key.pemRepresentation.utf8), to: key)
        return [
            "XDG_DATA_HOME": home.path, "ASSISTANT_PORT": "0", "ASSISTANT_PUBLIC_URL": DemoUser.origin,
            "ASSISTANT_SIGNUP": "open", "ASSISTANT_GOOGLE_CLIENT_ID": "mock-client",
            "ASSISTANT_GOOGLE_CLIENT_SECRET_FILE": secret.path, "ASSISTANT_GOOGLE_REDIRECT_URIS": DemoUser.redirect,
            "ASSISTANT_GOOGLE_AUTH_URL": "\(google.url)/o/oauth2/v2/auth",
            "ASSISTANT_GOOGLE_TOKEN_URL": "\(google.url)/token", "ASSISTANT_GOOGLE_REVOKE_URL": "\(google.url)/revoke",
            "ASSISTANT_GOOGLE_API_URL": google.url, "ASSISTANT_CALENDAR_SYNC_SECONDS": "1",
            "ASSISTANT_MAIL_SYNC_SECONDS": "1", "APNS_URL": push.apnsURL, "APNS_TEAM_ID": MockPush.teamID,
            "APNS_KEY_ID": MockPush.keyID, "APNS_KEY_FILE": key.path, "APNS_TOPIC": MockPush.topic,
            "WEBPUSH_ORIGINS": push.webPushURL, "VAPID_SUBJECT": "mailto:operator@provider.example",
        ]
    }
}
