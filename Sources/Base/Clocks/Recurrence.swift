import Foundation

/// A moment that comes again by a place's own clocks: at a time of a day of each week, month, quarter or year.
///
/// Its text is `monthly 3 08:00 Europe/Berlin`; see ``init(_:)``.
package struct Recurrence: Sendable, Hashable, CustomStringConvertible {
    package enum Day: Sendable, Hashable {
        /// 1 for Monday to 7 for Sunday (ISO 8601).
        case weekly(Int)
        /// 1…31. A shorter month has it on its last day.
        case monthly(Int)
        /// A day of January, April, July and October, 1…31.
        case quarterly(Int)
        /// A day of one month. 29 February is the 28th in other years.
        case yearly(month: Int, day: Int)
    }

    package let day: Day
    /// 0…1439.
    package let minuteOfDay: Int
    package let zone: TimeZone

    static let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

    /// Reads `weekly monday 08:00 ZONE`, `monthly 3 08:00 ZONE`, `quarterly 3 08:00 ZONE` or `yearly 02-15 08:00 ZONE`,
    /// with the zone's name in the IANA database.
    ///
    /// - Throws: ``RecurrenceError``.
    public init(_ text: String) throws(RecurrenceError) {
        // Quoted in a message, a line end would begin a line there.
        guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw RecurrenceError(
                message:
                    "the day, the time or the time zone has a control character, such as a line end")
        }
        let words = text.split(separator: " ", omittingEmptySubsequences: true).map(String.init)
        guard words.count == 4 else {
            throw RecurrenceError(
                message: "“\(text.prefix(80))” is not a day, a time and a time zone, such as 3 08:00 Europe/Berlin")
        }
        day = try Self.day(words[0], words[1])
        guard let time = words[2].wholeMatch(of: /([01][0-9]|2[0-3]):([0-5][0-9])/), let hour = Int(time.1),
            let minute = Int(time.2)
        else { throw RecurrenceError(message: "“\(words[2].prefix(40))” is not a time from 00:00 to 23:59") }
        minuteOfDay = hour * 60 + minute
        guard let zone = Self.zone(words[3]) else {
            throw RecurrenceError(
                message: "“\(words[3].prefix(40))” is not a time zone; give its name, such as Europe/Berlin or UTC")
        }
        self.zone = zone
    }

    private static func day(_ every: String, _ text: String) throws(RecurrenceError) -> Day {
        switch every {
        case "weekly":
            guard let index = weekdays.firstIndex(of: text.lowercased()) else {
                throw RecurrenceError(message: "“\(text.prefix(40))” is not a day of the week, such as monday")
            }
            return .weekly(index + 1)
        case "monthly", "quarterly":
            guard text.wholeMatch(of: /[1-9][0-9]?/) != nil, let day = Int(text), day <= 31 else {
                throw RecurrenceError(message: "“\(text.prefix(40))” is not a day from 1 to 31")
            }
            return every == "monthly" ? .monthly(day) : .quarterly(day)
        case "yearly":
            // The year 2000 has a 29 February.
            guard let date = CalendarDate("2000-" + text) else {
                throw RecurrenceError(message: "“\(text.prefix(40))” is not a month and a day, such as 02-15")
            }
            return .yearly(month: date.month, day: date.day)
        default:
            throw RecurrenceError(
                message: "“\(every.prefix(40))” is not weekly, monthly, quarterly or yearly")
        }
    }

    /// Returns a zone by its name. Abbreviations such as CET are refused: what they mean differs from place to place.
    private static func zone(_ name: String) -> TimeZone? {
        if ["UTC", "GMT", "Etc/UTC"].contains(name) { return .gmt }
        guard name.contains("/"), let zone = TimeZone(identifier: name), zone.identifier.contains("/") else {
            return nil
        }
        return zone
    }

    package var description: String {
        func two(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
        let every =
            switch day {
            case .weekly(let day): "weekly \(Self.weekdays[day - 1])"
            case .monthly(let day): "monthly \(day)"
            case .quarterly(let day): "quarterly \(day)"
            case .yearly(let month, let day): "yearly \(two(month))-\(two(day))"
            }
        let name = zone == .gmt ? "UTC" : zone.identifier
        return "\(every) \(two(minuteOfDay / 60)):\(two(minuteOfDay % 60)) \(name)"
    }

    /// The months from one moment to the next; 0 for every week.
    package var monthsBetween: Int {
        switch day {
        case .weekly: 0
        case .monthly: 1
        case .quarterly: 3
        case .yearly: 12
        }
    }

    // MARK: Moments

    private static let daySeconds = 86_400

    /// Returns the first moment after this one.
    package func next(after moment: Date) -> Date {
        let found = candidates(around: moment).lazy.map { self.moment(onDay: $0) }.first { $0 > moment }
        guard let found else { preconditionFailure("each week, month, quarter and year has its day") }
        return found
    }

    /// Returns the moments after `start` and not after `end`, the oldest first.
    ///
    /// - Parameter most: the number of moments to return at most; they are the last ones.
    package func moments(after start: Date, through end: Date, atMost most: Int = 400) -> [Date] {
        var found: [Date] = []
        var moment = next(after: start)
        while moment <= end {
            found.append(moment)
            if found.count > most { found.removeFirst() }
            moment = next(after: moment)
        }
        return found
    }

    /// Returns days, counted from 1 January 1970, that could be the next one: from before the moment to after it.
    private func candidates(around moment: Date) -> [Int] {
        let month = MonthYear.current(at: moment, in: zone)
        switch day {
        case .weekly(let weekday):
            let local = Int(moment.timeIntervalSince1970.rounded(.down)) + zone.secondsFromGMT(for: moment)
            let today = Int((Double(local) / Double(Self.daySeconds)).rounded(.down))
            // 1 January 1970 was a Thursday.
            return ((today - 7)...(today + 14)).filter { (($0 + 3) % 7 + 7) % 7 + 1 == weekday }
        case .monthly(let day): return Self.days(day, around: month) { _ in true }
        case .quarterly(let day): return Self.days(day, around: month) { ($0 - 1).isMultiple(of: 3) }
        case .yearly(let named, let day): return Self.days(day, around: month) { $0 == named }
        }
    }

    private static func days(_ day: Int, around month: MonthYear, where isIn: (Int) -> Bool) -> [Int] {
        let first = month.previous ?? month
        return sequence(first: first, next: \.next).prefix(28).filter { isIn($0.month) }.map { month in
            Timestamp.daysSinceEpoch(
                month.year, month.month, min(day, MonthYear.days(in: month.month, of: month.year)))
        }
    }

    /// Returns the moment on one day. A time that the day has twice counts as the first of the two; one that it has not,
    /// because clocks go forward over it, comes as much later as they go forward (02:30 becomes 03:30).
    private func moment(onDay day: Int) -> Date {
        let local = TimeInterval(day * Self.daySeconds + minuteOfDay * 60)
        func offset(_ seconds: TimeInterval) -> TimeInterval {
            TimeInterval(zone.secondsFromGMT(for: Date(timeIntervalSince1970: seconds)))
        }
        let before = offset(local - TimeInterval(Self.daySeconds))
        let after = offset(local + TimeInterval(Self.daySeconds))
        let real = [before, after].filter { offset(local - $0) == $0 }.map { local - $0 }
        return Date(timeIntervalSince1970: real.min() ?? local - before)
    }
}

/// A text that is not a recurrence.
package struct RecurrenceError: Error, Sendable, Hashable, CustomStringConvertible {
    package let message: String

    package var description: String { message }
}
