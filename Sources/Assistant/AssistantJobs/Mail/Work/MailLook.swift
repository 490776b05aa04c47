import AssistantProcesses
import AssistantStore
import Foundation

/// Takes up a mail that says that a statement is ready.
package protocol StatementMailTaking: Sendable {
    /// - Throws: ``StatementsUnavailable`` when the mail has to be shown again later.
    func take(_ mail: ReceivedMail, of userID: UUID, at now: Date) async throws
}

/// The broker cannot tell its banks now.
package struct StatementsUnavailable: Error, Sendable, Hashable {
    package init() {}
}

/// Reads a mailbox on from the place of the last look: it learns to whom the user writes, and makes alerts of urgent mail.
///
/// It sees headers and labels. A message is read and judged at most once; when a look breaks off, the next one begins at
/// the same place, and alerts that exist stay as they are.
package struct MailLook: Sendable {
    /// At the first look so many of the newest sent messages are read, to learn to whom the user writes.
    private static let sentMessages = 40
    private static let sentAge: TimeInterval = 90 * 86_400
    /// Without a place, so many of the newest messages are read.
    private static let mostMissed = 50

    private let database: AssistantDatabase
    private let keys: StateKeys
    private let userID: UUID
    private let onAlert: @Sendable () -> Void
    private let classifier: @Sendable (Set<UrgentMailRule>) -> any MailClassifier

    /// - Parameter onAlert: called once for each new alert.
    package init(
        _ database: AssistantDatabase, _ keys: StateKeys, of userID: UUID,
        onAlert: @escaping @Sendable () -> Void = {},
        classifier: @escaping @Sendable (Set<UrgentMailRule>) -> any MailClassifier = { UrgentMailRules($0) }
    ) {
        self.database = database
        self.keys = keys
        self.userID = userID
        self.onAlert = onAlert
        self.classifier = classifier
    }

    /// Looks at the mailbox of a connection. At the first look, mail counts from the connection on; when Google has forgotten
    /// the place, from the last look on.
    ///
    /// - Parameter connected: the time of the connection.
    /// - Returns: false when the broker has to be asked again about a mail, so that the next look begins at the same place.
    /// - Throws: `GoogleError`, `AssistantStoreError`.
    package func look(
        at mailbox: MailClient, connector: UUID, connected: Date, _ wishes: NotificationPreferences,
        statements: (any StatementMailTaking)?, at now: Date
    ) async throws -> Bool {
        let place = try await database.mail.place(of: userID, connector: connector)
        let known = place.flatMap { $0.historyID.isEmpty ? nil : $0.historyID }
        let changes = try await mailbox.changes(since: known)
        if known == nil { try await learnFromSentMail(mailbox, at: now) }
        let start = changes.isBaseline ? place?.time ?? connected : .distantPast
        let messages =
            changes.isBaseline
            ? try await Self.ids(in: mailbox, labelled: "INBOX", since: start, atMost: Self.mostMissed)
                .map { NewMessage(id: $0) } : changes.messages
        var isDone = true
        for message in messages where message.mayHave(["INBOX", "SENT"]) {
            guard let headers = try await mailbox.headers(of: message.id) else { continue }
            if headers.labels.contains("SENT") { try await learn(from: [headers], at: now) }
            let mail = ReceivedMail(headers)
            guard mail.isIncoming, mail.receivedAt >= start else { continue }
            if try await alert(of: mail, headers, wishes, at: now) { onAlert() }
            do {
                try await statements?.take(mail, of: userID, at: now)
            } catch is StatementsUnavailable {
                isDone = false
            }
        }
        if isDone { try await database.mail.advance(userID, connector: connector, to: changes.historyID, at: now) }
        return isDone
    }

    /// Forgets the place, for a user who wants no alerts: mail up to now is not looked at later.
    package func skip(connector: UUID, at now: Date) async throws {
        try await database.mail.advance(userID, connector: connector, to: "", at: now)
    }

    /// Returns the urgent ones among the newest messages of the inbox, as they are now.
    ///
    /// - Throws: `GoogleError`, `AssistantStoreError`.
    package func urgentMail(
        in mailbox: MailClient, _ wishes: NotificationPreferences, since start: Date, atMost limit: Int
    ) async throws -> [ReceivedMail] {
        let alerts = try await database.alerts.alerts(of: userID, since: start)
        var ids = try await Self.ids(in: mailbox, labelled: "INBOX", since: start, atMost: limit)
        var unwanted: Set<String> = []
        for alert in alerts {
            let id = try AlertedMail(alert.sealedMail, of: alert.id, keys).messageID
            if alert.isUrgent == false { unwanted.insert(id) }
            if !ids.contains(id) { ids.append(id) }
        }
        var found: [ReceivedMail] = []
        for id in ids where !unwanted.contains(id) {
            guard let headers = try await mailbox.headers(of: id) else { continue }
            let mail = ReceivedMail(headers)
            guard mail.receivedAt >= start else { continue }
            let verdict = try await verdict(on: mail, headers, wishes)
            if verdict.isUrgent { found.append(mail) }
        }
        return found
    }

    // MARK: Alerts

    private func alert(
        of mail: ReceivedMail, _ headers: MailHeaders, _ wishes: NotificationPreferences, at now: Date
    ) async throws -> Bool {
        let verdict = try await verdict(on: mail, headers, wishes)
        guard verdict.isUrgent else { return false }
        let id = UUID()
        return try await database.alerts.add(
            id, of: userID, message: digest("message \(headers.id)"),
            sealedMail: try AlertedMail(messageID: headers.id, mail).sealed(for: id, keys),
            rules: verdict.rules.map(\.rawValue), at: now)
    }

    private func verdict(
        on mail: ReceivedMail, _ headers: MailHeaders, _ wishes: NotificationPreferences
    ) async throws -> MailVerdict {
        var acquaintance = MailAcquaintance()
        if let sender = mail.sender {
            acquaintance.isMarked = wishes.marks(sender.description)
            acquaintance.isWrittenTo = try await database.mail.isKnown(digest("person \(sender)"), to: userID)
        }
        if let thread = headers.threadID {
            acquaintance.isInOwnThread = try await database.mail.isKnown(digest("thread \(thread)"), to: userID)
        }
        return try await classifier(wishes.rules).verdict(on: mail, acquaintance)
    }

    // MARK: People and conversations

    private func learnFromSentMail(_ mailbox: MailClient, at now: Date) async throws {
        let ids = try await Self.ids(
            in: mailbox, labelled: "SENT", since: now.addingTimeInterval(-Self.sentAge), atMost: Self.sentMessages)
        var sent: [MailHeaders] = []
        for id in ids { if let headers = try await mailbox.headers(of: id) { sent.append(headers) } }
        try await learn(from: sent.filter { $0.labels.contains("SENT") }, at: now)
    }

    private func learn(from sent: [MailHeaders], at now: Date) async throws {
        let digests = sent.flatMap { headers -> [[UInt8]] in
            let people = ["to", "cc"].flatMap { MailAddress.list(headers.values[$0] ?? "") }
            return people.map { digest("person \($0)") } + (headers.threadID.map { [digest("thread \($0)")] } ?? [])
        }
        try await database.mail.remember(digests, of: userID, at: now)
    }

    /// Lists messages. Where that is refused, none are listed: the list only adds to what is known.
    private static func ids(
        in mailbox: MailClient, labelled label: String, since start: Date, atMost limit: Int
    ) async throws -> [String] {
        do {
            return try await mailbox.messageIDs(labelled: label, since: start, atMost: limit)
        } catch GoogleError.refused {
            return []
        } catch GoogleError.malformed {
            return []
        }
    }

    /// Returns a digest that is this user's own, so that two users' do not compare.
    private func digest(_ text: String) -> [UInt8] { keys.digest("\(userID.uuidString) \(text)", for: "mail") }
}

extension ReceivedMail {
    init(_ headers: MailHeaders) {
        self.init(
            from: headers.from, subject: headers.subject, receivedAt: headers.receivedAt, labels: headers.labels,
            headers: headers.values)
    }
}
