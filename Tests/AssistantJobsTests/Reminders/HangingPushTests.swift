import AssistantProcesses
import AssistantStore
import Clocks
import CurlClient
import Encodings
import Foundation
import Logging
import Notifications
import Synchronization
import TestServers
import Testing

@testable import AssistantJobs

/// A push service that takes connections and never answers: over TLS not even with its certificate.
private final class HangingService: Sendable {
    private let listener: Int32
    private let connection = Mutex<Int32?>(nil)
    let origin: String

    init(_ scheme: String) throws {
        let (descriptor, port) = try LoopbackSocket.bound()
        listen(descriptor, 16)
        listener = descriptor
        origin = "\(scheme)://localhost:\(port)"
    }

    deinit {
        connection.withLock { $0.map { _ = close($0) } }
        close(listener)
    }

    /// Waits for a connection.
    func accepted() async {
        let descriptor = await withCheckedContinuation { continuation in
            Thread.detachNewThread { [listener] in continuation.resume(returning: accept(listener, nil, nil)) }
        }
        connection.withLock { $0 = descriptor }
    }

    /// Tells whether the sender still waits for an answer.
    var isWaitedFor: Bool {
        connection.withLock { connection in
            guard let connection else { return false }
            var bytes = [UInt8](repeating: 0, count: 16_384)
            while true {
                let count = recv(connection, &bytes, bytes.count, Int32(MSG_DONTWAIT))
                if count <= 0 { return count < 0 && errno == EAGAIN }
            }
        }
    }
}

@Suite("A push service that hangs", .timeLimit(.minutes(4))) struct HangingPushTests {
    @Test(
        "holds up the reminder of its own user only", arguments: ReminderStage.Store.all,
        ["https", "http"])
    func others(_ store: ReminderStage.Store, scheme: String) async throws {
        let hanging = try HangingService(scheme)
        try await FakePushService.with { service, origin, http in
            let stage = try await ReminderStage(store)
            var reader = SettingsReader(["WEBPUSH_ORIGINS": "\(origin),\(hanging.origin)"])
            var settings = NoticeSettings()
            settings.origins = PushOrigins(&reader)
            settings.subject = try VAPIDSubject("mailto:robin@provider.net")
            settings.authorities = http.extraCAFile
            let delivery = try NoticeDelivery(
                settings, state: stage.state, database: stage.database, keys: stage.keys,
                logger: Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() })
            let meeting = stage.now + 3600
            for endpoint in ["\(hanging.origin)/push/stuck"] + (0..<3).map({ "\(origin)/push/\($0)" }) {
                let user = try await stage.user()
                try await Self.browser(endpoint, of: user, settings.origins, stage)
                stage.calendars.meeting("m", at: meeting, of: user)
            }
            let worker = stage.worker(notices: delivery)
            _ = try await worker.performDue()
            stage.setClock(meeting - 900)
            let run = Task { try await worker.run() }
            await hanging.accepted()
            await service.awaitPushes(3)
            #expect(hanging.isWaitedFor, "the other reminders came while the service was still hanging")
            // The outcomes are written after the pushes.
            while try await stage.database.jobs.counts()["MEETING_REMINDER"]?["DONE"] != 3 { await Task.yield() }
            run.cancel()
            try? await run.value
            // The reminder that hangs is given back, and not lost.
            #expect(try await stage.database.jobs.counts()["MEETING_REMINDER"] == ["DONE": 3, "PENDING": 1])
            await delivery.close()
        }
    }

    private static func browser(
        _ endpoint: String, of user: UUID, _ origins: PushOrigins, _ stage: ReminderStage
    ) async throws {
        // The key is the example of RFC 8291, section 5.
        let subscription: JSONValue = [
            "endpoint": .string(endpoint),
            "keys": [
                "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
                "auth": "BTBZMqHH6r4Tts7J_aSIgg",
            ],
        ]
        let kept = try BrowserSubscription(subscription, at: origins).kept
        try await stage.database.devices.put(
            "browser", of: user, .webpush, .production,
            sealedToken: try stage.keys.seal(kept, as: PushAddress.binding(user, "browser")), at: stage.now)
    }
}
