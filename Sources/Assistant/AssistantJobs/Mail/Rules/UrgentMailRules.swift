import Foundation

/// The assistant's knowledge of a message's sender and conversation.
package struct MailAcquaintance: Sendable, Hashable {
    package var isMarked = false
    package var isWrittenTo = false
    package var isInOwnThread = false

    package init(isMarked: Bool = false, isWrittenTo: Bool = false, isInOwnThread: Bool = false) {
        self.isMarked = isMarked
        self.isWrittenTo = isWrittenTo
        self.isInOwnThread = isInOwnThread
    }
}

/// The judgement of a message.
package struct MailVerdict: Sendable, Hashable {
    package let isUrgent: Bool
    /// The signs that counted, in the order of the rules.
    package let rules: [UrgentMailRule]

    package init(isUrgent: Bool, rules: [UrgentMailRule]) {
        self.isUrgent = isUrgent
        self.rules = rules
    }
}

/// Judges whether a message is urgent. ``UrgentMailRules`` is the implementation; another one may take its place.
package protocol MailClassifier: Sendable {
    func verdict(on mail: ReceivedMail, _ acquaintance: MailAcquaintance) async throws -> MailVerdict
}

/// Judges by the rules that the user has switched on.
package struct UrgentMailRules: MailClassifier {
    private let rules: Set<UrgentMailRule>

    package init(_ rules: Set<UrgentMailRule> = Set(UrgentMailRule.allCases)) {
        self.rules = rules
    }

    package func verdict(on mail: ReceivedMail, _ acquaintance: MailAcquaintance) -> MailVerdict {
        guard mail.isIncoming else { return MailVerdict(isUrgent: false, rules: []) }
        let found = UrgentMailRule.allCases.filter { rules.contains($0) && $0.fits(mail, acquaintance) }
        // Bulk mail often claims urgency. Only the user's own mark makes it urgent.
        let counting = mail.isBulk ? found.filter { $0 == .markedSenders } : found
        let points = counting.reduce(0) { $0 + $1.points }
        return MailVerdict(isUrgent: points >= UrgentMailRule.needed, rules: counting)
    }
}

extension UrgentMailRule {
    fileprivate func fits(_ mail: ReceivedMail, _ acquaintance: MailAcquaintance) -> Bool {
        switch self {
        // A forged sender counts as a stranger.
        case .markedSenders: acquaintance.isMarked && !mail.isForged
        case .correspondents: acquaintance.isWrittenTo && !mail.isForged
        case .importance: mail.saysImportant
        case .deadlines: SubjectDeadline.isNamed(in: mail.subject)
        case .replies: acquaintance.isInOwnThread && !mail.isForged
        }
    }
}
