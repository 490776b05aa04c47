import Encodings

/// Finds a deadline in a subject, in English and German.
enum SubjectDeadline {
    static func isNamed(in subject: String) -> Bool {
        // Cleaned first: invisible characters between or beside letters must not hide a word from the rules.
        let text = ShownText.cleaned(subject, limit: 400).lowercased()
        if text.contains(denials) { return false }
        return text.contains(urgency) || text.contains(english) || text.contains(german)
    }

    // Compiled once and then shared: a subject is looked at for each mail of each user. `Regex` is not Sendable because it
    // may hold closures; a literal holds none, and its compilation is atomic.

    private nonisolated(unsafe) static let denials =
        /\b(?:not|non|nicht|no|kein[e]?|without|ohne)[ -](?:so )?(?:urgent|dringend|deadlines?|hurry|eilig|frist)\b|\bno rush\b/

    private nonisolated(unsafe) static let urgency =
        /\b(?:urgent|urgently|asap|as soon as possible|immediately|action required|dringend|eilt|sofort)\b/

    private nonisolated(unsafe) static let english =
        /\bdeadlines?\b|\boverdue\b|\b(?:final|last) (?:reminder|notice)\b|\b(?:due|expires?|ends?|closes?|respond|reply|answer) (?:today|tonight|tomorrow|at noon|on (?:mon|tues|wednes|thurs|fri|satur|sun)day)\b|\b(?:due )?(?:by|before|until) (?:today|tonight|tomorrow|noon|midnight|eod|cob|end of (?:the )?day|close of business|(?:mon|tues|wednes|thurs|fri|satur|sun)day|[0-9]{1,2}(?::[0-9]{2})? ?(?:am|pm)|[0-9]{1,2}:[0-9]{2})\b|\b(?:with)?in (?:the next )?[0-9]{1,2} ?(?:hours?|hrs?|minutes?|min)\b/

    private nonisolated(unsafe) static let german =
        /\bfrist(?:ablauf|ende)?\b|\bf(?:ä|ae)llig\b|\bletzte (?:mahnung|erinnerung)\b|\bbis (?:sp(?:ä|ae)testens )?(?:heute|morgen|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|mittag|[0-9]{1,2}\. ?[0-9]{1,2}\.|[0-9]{1,2}(?::[0-9]{2})? uhr)/
}
