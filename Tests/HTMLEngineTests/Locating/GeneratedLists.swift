import Selectors

@testable import HTMLEngine

/// Lists of documents in the shapes that pages have, with months that have none, remarks, labels,
/// sentences about other months and other documents among them.
///
/// On each page, the wanted month's own document has the id `right`, another document of that month `other`, and each document of
/// another month, or of none, `wrong`.
struct GeneratedLists {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// A linear congruential generator with Knuth's constants (MMIX).
    private mutating func number(below end: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(end))
    }

    private mutating func one<Value>(of values: [Value]) -> Value { values[number(below: values.count)] }

    private mutating func happens(percent: Int) -> Bool { number(below: 100) < percent }

    private struct Entry {
        var head = ""
        var label = ""
        var document = ""
        var note = ""
        var other = ""
        var texts: [String] { [head, label, document, note, other].filter { !$0.isEmpty } }
    }

    private static let months = [
        ["May 2025", "April 2025", "March 2025", "February 2025", "January 2025"],
        ["January 2025", "February 2025", "March 2025", "April 2025", "May 2025"],
        ["12/2025", "11/2025", "10/2025", "9/2025", "8/2025"],
        ["30.4.2025", "31.3.2025", "28.2.2025", "31.1.2025", "31.12.2024"],
        ["Statement 5", "Statement 4", "Statement 3", "Statement 2", "Statement 1"],
        ["August", "July", "June", "May", "April"],
        ["MAY 2025", "APRIL 2025", "MARCH 2025", "FEB 2025", "JAN 2025"],
        ["Mai 2025", "April 2025", "März 2025", "Februar 2025", "Januar 2025"],
        ["1 May – 31 May 2025", "1 April – 30 April 2025", "1 March – 31 March 2025", "1 February – 28 February 2025"],
        ["Statement May 2025", "Statement April 2025", "Statement March 2025", "Statement February 2025"],
    ]

    /// The words of a script for an entry, which a sentence about the entry may say, too.
    private static func row(of month: String) -> String {
        guard month.contains("2025"), month.contains("–") || month.hasPrefix("Statement") else { return month }
        return month.split(separator: " ").suffix(2).joined(separator: " ")
    }

    private mutating func entries(of months: [String], wanted: Int) -> [Entry] {
        let labels = one(of: [
            ["Statement as PDF"], ["Statement"], ["PDF"], ["Statement (PDF, 98 kB)", "Statement (PDF, 120 kB)"],
            ["Statement", "Invoice"], ["Current account 1234"],
        ])
        let others = one(of: [["Annual report"], ["Tax 2024"], ["Terms"], ["Annual report", "Terms of use"]])
        let withLabel = one(of: [0, 0, 100, 50])
        let withDocument = one(of: [100, 100, 60, 80])
        let withNote = one(of: [0, 0, 30])
        let withOther = one(of: [0, 0, 0, 20, 50])
        let withRemark = one(of: [0, 0, 25])
        let withSentence = one(of: [0, 0, 0, 40, 100])
        let withReference = TextMatch.name(Self.row(of: months[0])).wantedPeriod == nil ? 0 : one(of: [0, 0, 30, 60])
        return months.enumerated().map { place, month in
            var entry = Entry(head: month)
            if happens(percent: withRemark) { entry.head += one(of: [" (new)", " – corrected", ": not yet", " new"]) }
            if happens(percent: withLabel) { entry.label = one(of: labels) }
            if happens(percent: withDocument) {
                entry.document = "<a id=\(place == wanted ? "right" : "wrong") href=/\(place)>Download</a>"
            } else if happens(percent: withReference) {
                let other = Self.row(of: months[(place + 1 + number(below: months.count - 1)) % months.count])
                entry.head =
                    month
                    + one(of: [
                        " – not ready, see \(other)", ": not yet, last one: \(other)",
                        " (nicht verfügbar, siehe \(other))", " is not here. See \(other)",
                    ])
                entry.document = "<a id=wrong href=/\(place)>Download</a>"
            } else if happens(percent: 60) {
                entry.note = "not yet"
            }
            if happens(percent: withNote) { entry.note = "made on 2 May 2025" }
            if happens(percent: withSentence) {
                let other = Self.row(of: months[(place + 1 + number(below: months.count - 1)) % months.count])
                entry.note = one(of: ["available since \(other)", "Previous: \(other)", "Sent in \(other).", other])
            }
            if happens(percent: withOther) {
                entry.other = "\(one(of: others)) <a id=\(place == wanted ? "other" : "wrong") href=/o>Download</a>"
            }
            return entry
        }
    }

    /// The looks of one list: its tags, and its classes.
    private struct Look {
        var headTag = ""
        var partTag = ""
        var classes = 0
        var isLabelBesideControl = false
        var isControlBare = false

        func attribute(_ kind: String, _ place: Int) -> String {
            switch classes {
            case 0: ""
            case 1: " class=c"
            case 2: " class=\(kind)"
            default: " class=\(place.isMultiple(of: 2) ? "even" : "odd")"
            }
        }

        func parts(_ entry: Entry, _ place: Int) -> String {
            func part(_ kind: String, _ text: String) -> String {
                text.isEmpty ? "" : "<\(partTag)\(attribute(kind, place))>\(text)</\(partTag)>"
            }
            var html = "<\(headTag)\(attribute("m", place))>\(entry.head)</\(headTag)>"
            if isLabelBesideControl, !entry.document.isEmpty {
                html += part("l", "\(entry.label) \(entry.document)")
            } else {
                html += part("s", entry.label) + (isControlBare ? entry.document : part("l", entry.document))
            }
            return html + part("n", entry.note) + part("o", entry.other)
        }

        func partsBelowControl(_ entry: Entry, _ place: Int) -> String {
            var control = entry.document
            if !control.isEmpty {
                let label = isLabelBesideControl ? "\(entry.label) " : ""
                control =
                    isControlBare ? control : "<\(partTag)\(attribute("l", place))>\(label)\(control)</\(partTag)>"
            }
            return control + "<\(headTag)\(attribute("m", place))>\(entry.head)</\(headTag)>"
        }
    }

    mutating func next() -> ListPage {
        let months = Array(one(of: Self.months).prefix(2 + number(below: 4)))
        let wanted = number(below: months.count)
        let entries = entries(of: months, wanted: wanted)
        let headTag = one(of: ["div", "p", "span", "h3", "b", "div", "section"])
        let look = Look(
            headTag: headTag, partTag: one(of: ["div", "div", "p", "span", headTag]), classes: number(below: 4),
            isLabelBesideControl: happens(percent: 50), isControlBare: happens(percent: 30))
        var html = drawn(entries, in: look)
        let around = one(of: ["", "div", "section", "main"])
        if !around.isEmpty { html = "<\(around)>\(html)</\(around)>" }
        if happens(percent: 20) { html += "<p>Terms and prices <a id=wrong href=/t>Download</a></p>" }
        return ListPage("generated", html, row: Self.row(of: months[wanted]))
    }

    private mutating func drawn(_ entries: [Entry], in look: Look) -> String {
        let parts = entries.enumerated().map { look.parts($1, $0) }
        let lines = look.isControlBare ? "<br>" : " "
        switch number(below: 11) {
        // Where the first month has no link, such a list does not tell which months the links belong to.
        case 10 where entries.first?.document.isEmpty == false:
            return entries.enumerated().map { look.partsBelowControl($1, $0) }.joined(separator: lines)
        case 0: return parts.enumerated().map { "<div\(look.attribute("card", $0))>\($1)</div>" }.joined()
        case 1, 2: return parts.joined()
        case 3: return "<p>\(entries.map { $0.texts.joined(separator: " ") }.joined(separator: "<br>"))</p>"
        case 4:
            let bold = entries.map {
                (["<b>\($0.head)</b>"] + $0.texts.dropFirst()).joined(separator: lines)
            }
            return "<p>\(bold.joined(separator: "<br>"))</p>"
        case 5:
            let rows = entries.map {
                "<tr><td>\($0.head)<td>\($0.label)<td>\($0.note)<td>\($0.document)<td>\($0.other)"
            }
            return "<table>\(rows.joined())</table>"
        case 6:
            let rows = entries.map { entry in
                "<tr><td\(look.isLabelBesideControl ? "" : " colspan=2")>\(entry.head)"
                    + (entry.texts.count == 1
                        ? "" : "<tr><td>\(entry.label) \(entry.note)<td>\(entry.document) \(entry.other)")
            }
            return "<table>\(rows.joined())</table>"
        case 7:
            let groups = entries.map { "<dt>\($0.head)" + $0.texts.dropFirst().map { "<dd>\($0)" }.joined() }
            return "<dl>\(groups.joined())</dl>"
        case 8:
            let items = entries.enumerated().map { place, entry in
                "<li\(look.attribute("e", place))>"
                    + (look.isLabelBesideControl ? parts[place] : entry.texts.joined(separator: lines))
            }
            return "<ul>\(items.joined())</ul>"
        default: return "<ul>\(entries.flatMap { $0.texts.map { "<li>\($0)" } }.joined())</ul>"
        }
    }
}
