import Encodings

/// A difference between a page's skeleton and an earlier one.
public struct SkeletonChange: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        case renamed(to: String)
        case gone
        case new
        /// A page of this title comes in place of the earlier one.
        case anotherPage(title: String)
    }

    /// The part as it was, or the new one; nil for another page.
    public let part: PageSkeleton.Part?
    public let kind: Kind
    /// The script names what changed.
    public let isUsed: Bool

    public var words: String {
        let name = part?.words ?? ""
        return switch kind {
        case .renamed(let other): "\(name) is called “\(other)” now"
        case .gone: "\(name) has gone"
        case .new: "\(name) is new"
        case .anotherPage(let title): "another page, “\(title)”, comes here"
        }
    }
}

extension PageSkeleton {
    /// Pages of fewer parts are too small to tell another page from a changed one.
    private static let fewest = 3

    /// Returns the differences of a later skeleton of the same page, in the earlier page's order and then the new parts. A part that
    /// only moved does not count, and neither does one that turns the pages of a list and has gone or come: a short list has one page.
    public func changes(to later: PageSkeleton) -> [SkeletonChange] {
        struct Name: Hashable {
            let kind: Kind
            let name: String
        }
        func names(_ parts: [Part]) -> [Name] { parts.map { Name(kind: $0.kind, name: $0.name) } }
        let (old, new) = (names(parts), names(later.parts))
        // Menus are often there twice, for two sizes of a screen. How often a part is there does not count.
        let (before, now) = (Set(old), Set(new))
        let kept = before.intersection(now)
        if before.count >= Self.fewest, 3 * kept.count < before.count {
            return [
                SkeletonChange(
                    part: nil, kind: .anotherPage(title: later.title), isUsed: parts.contains(where: \.isUsed))
            ]
        }
        // Between two parts that stayed, a part that has gone and a new one of its kind are the same part with another name.
        func gaps(_ names: [Name], _ parts: [Part], without others: Set<Name>) -> [(after: Name?, part: Part)] {
            var seen: Set<Name> = []
            var after: Name?
            var found: [(Name?, Part)] = []
            for (name, part) in zip(names, parts) {
                if others.contains(name) {
                    after = name
                } else if seen.insert(name).inserted {
                    found.append((after, part))
                }
            }
            return found
        }
        let gone = gaps(old, parts, without: now)
        var added = gaps(new, later.parts, without: before)
        var changes: [SkeletonChange] = []
        for (after, part) in gone {
            if let index = added.firstIndex(where: { $0.after == after && $0.part.kind == part.kind }) {
                let other = added.remove(at: index).part
                changes.append(
                    SkeletonChange(part: part, kind: .renamed(to: other.name), isUsed: part.isUsed || other.isUsed))
            } else if !part.turnsPages {
                changes.append(SkeletonChange(part: part, kind: .gone, isUsed: part.isUsed))
            }
        }
        added.removeAll(where: \.part.turnsPages)
        return changes + added.map { SkeletonChange(part: $0.part, kind: .new, isUsed: false) }
    }
}

extension [SkeletonChange] {
    /// The changes in one sentence, such as “the bank renamed 2 links that this script does not use”; nil without any.
    public var sentence: String? {
        let clauses = [true, false].compactMap { isUsed -> String? in
            let changes = filter { $0.isUsed == isUsed }
            guard !changes.isEmpty else { return nil }
            return Self.deeds(of: changes) + (isUsed ? " that this script uses" : " that this script does not use")
        }
        return clauses.isEmpty ? nil : "the bank " + clauses.joined(separator: ", and ")
    }

    private static func deeds(of changes: [SkeletonChange]) -> String {
        func part(_ verb: String, _ isMeant: (SkeletonChange.Kind) -> Bool) -> String? {
            let meant = changes.filter { isMeant($0.kind) }.compactMap(\.part)
            guard !meant.isEmpty else { return nil }
            let counts = PageSkeleton.Kind.allCases.compactMap { kind -> String? in
                let count = meant.count { $0.kind == kind }
                return count == 0 ? nil : count.counted(kind.rawValue)
            }
            return "\(verb) \(counts.joined(separator: ", "))"
        }
        let deeds = [
            part("renamed") { if case .renamed = $0 { true } else { false } },
            part("removed") { $0 == .gone },
            part("added") { $0 == .new },
            changes.contains { $0.part == nil } ? "shows another page in place of one" : nil,
        ].compactMap(\.self)
        return deeds.listed
    }
}
