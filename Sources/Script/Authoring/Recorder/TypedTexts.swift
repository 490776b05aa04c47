import Foundation
import Secrets

/// The texts that a person typed into a recording and that must not reach a draft: passwords, names of users, codes, and
/// texts of an unknown purpose.
struct TypedTexts: Sendable {
    private var secrets: [Secret] = []

    /// A shorter text occurs everywhere.
    private static let shortest = 4

    mutating func add(_ secret: Secret) { secrets.append(secret) }

    /// Returns whether one of the texts is part of another text, also percent-encoded. Letters alone count as a whole word
    /// only: a user called “user” does not hide the label “Username”. What follows from a text, such as its digest, counts too.
    func occur(in text: String) -> Bool {
        let long = secrets.filter { $0.count >= Self.shortest }
        if long.contains(where: { $0.isSource(of: text, countsPlain: false) }) { return true }
        let spellings = [text, text.removingPercentEncoding ?? text].map { $0.lowercased() }
        return secrets.contains { secret in
            let typed = secret.revealed().lowercased()
            guard typed.count >= Self.shortest else { return false }
            let isWord = typed.allSatisfy(\.isLetter)
            return spellings.contains { spelling in
                spelling.ranges(of: typed).contains { range in
                    guard isWord else { return true }
                    let before =
                        range.lowerBound > spelling.startIndex
                        ? spelling[spelling.index(before: range.lowerBound)] : " "
                    let after = range.upperBound < spelling.endIndex ? spelling[range.upperBound] : " "
                    return !before.isLetter && !after.isLetter
                }
            }
        }
    }
}
