/// The rules by which mail counts as urgent. A user can turn each off.
package enum UrgentMailRule: String, Sendable, Hashable, CaseIterable {
    /// From people to whom the user writes.
    case correspondents
    case markedSenders = "marked_senders"
    /// The sender's program marks it as important.
    case importance
    /// Its subject names a deadline.
    case deadlines
    /// It answers a mail of the user's.
    case replies

    /// A message is urgent from 2 points on: one strong sign, or two weak ones.
    package static let needed = 2

    /// The weight of a sign. The rules are deterministic: no model reads mail.
    package var points: Int {
        switch self {
        case .markedSenders, .importance, .deadlines: 2
        case .correspondents, .replies: 1
        }
    }
}
