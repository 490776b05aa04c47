import AssistantStore
import Clocks
import Crypto
import CurlClient
import Encodings
import Foundation
import Logging
import Notifications
import Secrets

/// The channels by which devices are reached. Sends one message to every device of a user, and removes devices that are gone.
struct PushChannels: Sendable {
    /// The end of one message to one device.
    private enum End: Sendable {
        case accepted
        case gone
        case refused
        case later(seconds: Int)
        /// The channel is not set up.
        case notReached
    }

    /// The seconds after which it makes sense to try again when no push service names a time.
    private static let shortPause = 5
    /// The seconds after which the operator may have mended the settings.
    private static let settingsPause = 300

    /// The seconds for which a push service of browsers is left alone after it could not be reached.
    private static let pauseUnreached = 30

    private let apns: APNsClient?
    private let webPush: PushSender
    private let origins: PushOrigins
    private let database: AssistantDatabase
    private let keys: StateKeys
    private let logger: Logger

    init(
        _ settings: NoticeSettings, state: URL, database: AssistantDatabase, keys: StateKeys, logger: Logger
    ) throws {
        apns = settings.apns.map { configuration in
            APNsClient(
                configuration, http: settings.http, token: SharedAPNsToken(configuration, database, keys))
        }
        webPush = PushSender(
            try settings.applicationServer(in: state), http: settings.http, pauseUnreached: Self.pauseUnreached)
        origins = settings.origins
        self.database = database
        self.keys = keys
        self.logger = logger
    }

    func close() async {
        await apns?.close()
        await webPush.close()
    }

    /// Sends a notice to every device at once.
    func send(_ notice: Notice, to userID: UUID, _ recipient: NoticeRecipient, at now: Date) async throws
        -> NoticeOutcome
    {
        let payload = NoticePayload.bytes(notice, showsDetails: recipient.notifications.showsDetails)
        var ends: [End] = []
        var reached: Set<String> = []
        try await withThrowingTaskGroup(of: (String, End).self) { group in
            for device in recipient.devices {
                group.addTask {
                    let end = await measured(device) { await send(payload, notice, to: device, of: userID, now) }
                    if case .gone = end {
                        try await database.devices.remove(device, of: userID)
                        logger.info("a device that is gone was removed", metadata: ["channel": "\(device.channel)"])
                    }
                    return (device.channel.rawValue, end)
                }
            }
            for try await (channel, end) in group {
                ends.append(end)
                if case .accepted = end { reached.insert(channel) }
            }
        }
        if !reached.isEmpty {
            // What was sent is the user's to know: its kind and its way, and nothing of what it says.
            try await database.audit.recordUnlessDeleted(
                NewAuditEvent(
                    "NOTICE_SENT",
                    metadata: [
                        "kind": .string(notice.kind.rawValue),
                        "channels": .array(reached.sorted().map(JSONValue.string)),
                    ]), of: userID, at: now)
        }
        return Self.outcome(ends)
    }

    /// One device that has it is enough; otherwise the first time at which trying again makes sense counts.
    private static func outcome(_ ends: [End]) -> NoticeOutcome {
        if ends.contains(where: { if case .accepted = $0 { true } else { false } }) { return .accepted }
        let waits = ends.compactMap { if case .later(let seconds) = $0 { seconds } else { nil } }
        if let wait = waits.min() { return .later(.seconds(wait)) }
        return ends.contains { if case .refused = $0 { true } else { false } } ? .refused : .noDevice
    }

    private func measured(_ device: StoredDevice, _ send: () async -> End) async -> End {
        let channel: AssistantMetric.Channel = device.channel == .apns ? .apns : .webpush
        let start = ContinuousClock.now
        let end = await send()
        let outcome: AssistantMetric.PushOutcome
        switch end {
        case .accepted: outcome = .accepted
        case .gone: outcome = .gone
        case .refused: outcome = .refused
        case .later: outcome = .later
        case .notReached: return end
        }
        database.metrics.count(.pushes(channel, outcome))
        database.metrics.observe(.pushDuration(channel), ContinuousClock.now - start)
        return end
    }

    private func send(
        _ payload: [UInt8], _ notice: Notice, to device: StoredDevice, of userID: UUID, _ now: Date
    ) async -> End {
        let address: Secret
        do {
            address = try keys.open(device.sealedToken, as: PushAddress.binding(userID, device.deviceID))
        } catch {
            logger.error("a device's push token cannot be opened", metadata: ["channel": "\(device.channel)"])
            return .refused
        }
        switch device.channel {
        case .apns: return await sendByAPNs(payload, notice, to: address, device.environment, now)
        case .webpush: return await sendByWebPush(payload, notice, to: address, now)
        }
    }

    // MARK: Apple

    private func sendByAPNs(
        _ payload: [UInt8], _ notice: Notice, to token: Secret, _ environment: StoredDevice.Environment, _ now: Date
    ) async -> End {
        guard let apns else { return .notReached }
        let message = APNsMessage(
            payload: payload, expires: notice.expires, collapseID: Self.collapseID(notice),
            isUrgent: notice.kind.isUrgent)
        let outcome = await apns.send(
            message, to: token, environment == .sandbox ? .sandbox : .production, at: now)
        switch outcome {
        case .taken: return .accepted
        case .gone: return .gone
        case .refused(let reason):
            logger.error("APNs refuses a message", metadata: ["reason": "\(reason)"])
            return .refused
        case .misconfigured(let reason):
            logger.error(
                "APNs refuses every message; check APNS_KEY_FILE, APNS_KEY_ID, APNS_TEAM_ID and APNS_TOPIC",
                metadata: ["reason": "\(reason)"])
            return .later(seconds: Self.settingsPause)
        case .later(let seconds): return .later(seconds: seconds)
        }
    }

    /// A collapse id has at most 64 bytes.
    private static func collapseID(_ notice: Notice) -> String {
        if notice.collapseKey.utf8.count <= 64, notice.collapseKey.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) {
            return notice.collapseKey
        }
        return Base16.encode(SHA256.hash(data: Array(notice.collapseKey.utf8)).prefix(32))
    }

    // MARK: Browsers

    private func sendByWebPush(_ payload: [UInt8], _ notice: Notice, to kept: Secret, _ now: Date) async -> End {
        let browser: BrowserSubscription
        do {
            browser = try BrowserSubscription(kept: kept, at: origins)
        } catch {
            logger.error("a browser's subscription cannot be used", metadata: ["reason": "\(error)"])
            return .refused
        }
        // A topic has at most 32 characters of base64url (RFC 8030, section 5.4).
        let digest = SHA256.hash(data: Array(notice.collapseKey.utf8))
        let delivery = PushSender.Delivery(
            lifetime: Int(notice.expires.timeIntervalSince(now)),
            topic: String(Base64URL.encode(Array(digest)).prefix(32)), isUrgent: notice.kind.isUrgent)
        switch await webPush.send(
            String(decoding: payload, as: UTF8.self), to: browser.subscription, delivery, at: now)
        {
        case .taken: return .accepted
        case .gone: return .gone
        case .refused(let status):
            logger.error("a push service refuses a message", metadata: ["status": "\(status)"])
            return .refused
        case .limited(let seconds): return .later(seconds: seconds)
        case .unreachable: return .later(seconds: Self.shortPause)
        }
    }
}

extension Notice.Kind {
    /// True if a device shows it at once, and not when that suits its power.
    fileprivate var isUrgent: Bool {
        switch self {
        case .meetingReminder, .morningBrief, .urgentMail, .confirmation: true
        case .reconnect, .heldNotices, .statement: false
        }
    }
}
