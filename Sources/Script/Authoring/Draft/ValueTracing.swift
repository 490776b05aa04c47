import BankScript
import Encodings
import Foundation
import HTMLAutomation
import HTMLEngine
import Markup
import Selectors

/// Finds where an app took the values from that it sends: in an earlier answer, a cookie, or its page. Each value that is
/// used becomes a capture with a name of its own.
struct ValueTracing {
    /// A value of an earlier answer, and where it stands.
    struct Origin {
        /// The index of the call; -1 for the page.
        var call: Int
        var source: CaptureStep.Source
        var filter: String?
        var name: String
        var text: String
        var isSecret: Bool
    }

    let calls: [RecordedCall]
    /// The month of the recorded document, which values are parametrised by.
    let period: RecordedMonth?
    private let locale: String
    /// The values that the page has in meta elements and hidden fields, and those of the cookies it set.
    private let pageOrigins: [Origin]
    private var captured: [String: Origin] = [:]
    /// The captures to write behind each call, by its index; before the first call: -1.
    private(set) var captures: [Int: [CaptureStep]] = [:]

    /// - Parameter earlier: the exchanges before the first call, whose cookies the app may read.
    init(
        _ calls: [RecordedCall], on page: Exchange?, settingCookies earlier: ArraySlice<Exchange>,
        period: RecordedMonth?,
        locale: String
    ) {
        self.calls = calls
        self.period = period
        self.locale = locale
        pageOrigins = earlier.flatMap { Self.cookies(setBy: $0, call: -1) } + (page.map(Self.values(of:)) ?? [])
    }

    /// True if the page or its cookies have values that no part of the page shows, or if a capture reads the page.
    var needsPage: Bool { captures[-1] != nil || !pageOrigins.allSatisfy { $0.source.isPart } }

    func isSecret(_ name: String) -> Bool { captured[name]?.isSecret == true }

    /// Returns the name of a capture for a value that an earlier answer has; nil when none has it.
    mutating func capture(_ text: String, before index: Int, isSecret: Bool = false) -> String? {
        guard text.count >= 4 else { return nil }
        // A page's own month is what it shows now, not what is asked for.
        let isOfPeriod = period.map { $0.parametrised(text) != text } ?? false
        let known = origins(before: index).filter { $0.call >= 0 || !$0.source.isPart || !isOfPeriod }
        guard var origin = known.last(where: { $0.text == text }) ?? Self.decoded(text, among: known) else {
            return nil
        }
        origin.isSecret = origin.isSecret || isSecret
        return keep(origin)
    }

    /// Returns the cookie whose value is the text after percent-decoding. Scripts often decode a cookie before they send it.
    private static func decoded(_ text: String, among origins: [Origin]) -> Origin? {
        var origin = origins.last {
            if case .cookie = $0.source { $0.text.removingPercentEncoding == text } else { false }
        }
        origin?.filter = "urldecode"
        return origin
    }

    mutating func keep(_ origin: Origin) -> String {
        if let known = captured.first(where: {
            $0.value.call == origin.call && $0.value.source == origin.source && $0.value.filter == origin.filter
        }) {
            return known.key
        }
        var name = origin.name
        var number = 2
        let taken = ["month", "year", "first_day", "last_day", ReplayAnswers.codeName]
        while captured[name] != nil || taken.contains(name) {
            name = "\(origin.name)_\(number)"
            number += 1
        }
        captured[name] = origin
        captures[origin.call, default: []].append(
            CaptureStep(name: name, source: origin.source, filter: origin.filter, isSecret: origin.isSecret))
        return name
    }

    private static func cookies(setBy exchange: Exchange, call: Int) -> [Origin] {
        exchange.setCookies.filter { !$0.value.isEmpty }.map { cookie in
            Origin(
                call: call, source: .cookie(cookie.name), name: slug(cookie.name), text: cookie.value, isSecret: true)
        }
    }

    /// Lists what a page gives its script: the contents of meta elements, and the values of hidden fields.
    private static func values(of page: Exchange) -> [Origin] {
        let body = page.responseBody ?? []
        guard let document = try? Document.parse(body, contentType: page.header("content-type"), url: page.url),
            let root = document.root
        else { return [] }
        return root.descendants.compactMap { element in
            let isMeta = element.name == "meta"
            guard isMeta || element.name == "input" && element[attribute: "type"]?.lowercased() == "hidden",
                let name = element[attribute: "name"],
                !name.unicodeScalars.contains(where: { "\"\\".unicodeScalars.contains($0) }),
                let text = element[attribute: isMeta ? "content" : "value"], !text.isEmpty
            else { return nil }
            let locator = Locator.css("\(element.name)[name=\"\(name)\"]")
            guard (try? document.elements(locator))?.count == 1 else { return nil }
            return Origin(
                call: -1, source: .attribute(isMeta ? "content" : "value", of: locator), name: slug(name), text: text,
                isSecret: Mask().hidesValues(named: name))
        }
    }

    /// Lists the values of the page and of the answers before a call: JSON members, headers and cookies.
    func origins(before index: Int) -> [Origin] {
        var result = pageOrigins
        for (number, call) in calls[..<min(index, calls.count)].enumerated() {
            result += Self.cookies(setBy: call.exchange, call: number)
            for header in call.exchange.responseHeaders {
                let name = header.name.lowercased()
                if name.contains("token") || name.contains("csrf") || name.contains("xsrf") {
                    result.append(
                        Origin(
                            call: number, source: .header(header.name), name: Self.slug(name), text: header.value,
                            isSecret: true))
                }
            }
            for member in call.answer?.texts ?? [] {
                result.append(
                    Origin(
                        call: number, source: .jsonPath(path(member, in: call.answer)), name: Self.slug(member.name),
                        text: member.text, isSecret: Mask().hidesValues(named: member.name)))
            }
        }
        return result
    }

    /// Returns a path that finds the member by the month and the year of its item, if it is part of a list.
    private func path(_ member: JSONValue.Text, in answer: JSONValue?) -> String {
        guard let item = member.items.last, let period, let answer else { return member.path }
        let siblings = answer.texts.filter {
            $0.path.hasPrefix(item + ".") && !$0.path.dropFirst(item.count + 1).contains(".")
        }
        var tests: [String] = []
        for sibling in siblings where sibling.path != member.path {
            let name = sibling.name
            guard name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }) else { continue }
            if sibling.isNumber {
                if sibling.text == "\(period.month)", MonthNames.isLabel(name) {
                    tests.append("@.\(name) == {{ month }}")
                }
                if sibling.text == "\(period.year)" { tests.append("@.\(name) == {{ year }}") }
            } else if let found = RecordedMonth(in: sibling.text, locale: locale), found.month == period.month,
                found.year == period.year, !sibling.text.contains("'")
            {
                tests.append("@.\(name) == '\(period.parametrised(sibling.text))'")
            }
        }
        let names = tests.filter { $0.contains("month") }
        guard !names.isEmpty else { return member.path }
        // One test that has both the month and the year is enough.
        let whole = tests.first { $0.contains("month") && $0.contains("year") }
        let filter = whole ?? tests.joined(separator: " && ")
        let list = item.prefix(upTo: item.lastIndex(of: "[") ?? item.endIndex)
        return "\(list)[?\(filter)]\(member.path.dropFirst(item.count))"
    }

    private static func slug(_ name: String) -> String {
        let letters = name.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
        let text = String(letters).split(separator: "_").joined(separator: "_")
        return text.first?.isLetter == true ? text : "value"
    }
}

extension CaptureStep.Source {
    /// True for a part of a page.
    fileprivate var isPart: Bool {
        if case .attribute = self { true } else { false }
    }
}
