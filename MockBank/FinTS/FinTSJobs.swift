import Foundation

/// The jobs of the mock bank that read: accounts, balances, statements, bookings. It does no others.
struct FinTSJobs {
    struct Answer {
        var answers: [String] = []
        var segments: [[UInt8]] = []
    }

    let parameters: FinTSParameters

    private var scenario: FinTSScenario { parameters.configuration.scenario }

    func answer(to job: WireSegment, as reference: Int) -> Answer {
        if job.code == "HKSPA" {
            return Answer(
                answers: ["0020::Auftrag ausgeführt"],
                segments: [WireSegment.latin(parameters.accounts(answering: reference))])
        }
        guard let account = account(of: job) else { return Answer(answers: ["9210::Konto unbekannt"]) }
        switch (job.code, job.version) {
        case ("HKSAL", 6), ("HKSAL", 7): return balance(of: account, job, reference)
        case ("HKKAU", 2) where parameters.offersPDF: return list(of: account, job, reference)
        case ("HKEKP", 2) where parameters.offersPDF: return statement(of: account, job, reference, year: 3, number: 2)
        case ("HKEKA", 5) where parameters.offersPDF: return statement(of: account, job, reference, year: 4, number: 3)
        case ("HKCAZ", 1) where parameters.offersCAMT: return camt(of: account, job, reference)
        case ("HKKAZ", 6), ("HKKAZ", 7): return mt940(of: account, job, reference)
        default: return Answer(answers: ["9110::Auftrag nicht unterstützt"])
        }
    }

    private func account(of job: WireSegment) -> Account? {
        let isNational = job.code == "HKSAL" && job.version < 7 || job.code == "HKKAZ" && job.version < 7
        return Account.all.first { account in
            isNational ? job.text(1) == parameters.number(account) : job.text(1) == account.iban
        }
    }

    /// The months with statements, the oldest first.
    private var months: [Month] {
        var month = Month(of: parameters.configuration.today).previous
        var months: [Month] = []
        for _ in 0..<24 {
            months.insert(month, at: 0)
            month = month.previous
        }
        return months
    }

    private func day(_ month: Month, _ day: Int) -> String {
        "\(month)-\(day < 10 ? "0" : "")\(day)".filter { $0 != "-" }
    }

    private func balance(of account: Account, _ job: WireSegment, _ reference: Int) -> Answer {
        guard let month = months.last else { return Answer(answers: ["3010::Keine Daten"]) }
        let cents = account.balance(endOf: month)
        let place =
            job.version == 7 ? parameters.connection(of: account) : parameters.nationalConnection(of: account)
        let fraction = cents.magnitude % 100
        let amount = "\(cents.magnitude / 100),\(fraction < 10 ? "0" : "")\(fraction)"
        return Answer(
            answers: ["0020::Auftrag ausgeführt"],
            segments: [
                WireSegment.latin(
                    "HISAL:0:\(job.version):\(reference)+\(place)+\(account.name)+GBP+\(cents < 0 ? "D" : "C"):\(amount):GBP:"
                        + day(month, month.days))
            ])
    }

    /// Returns the part of a list that follows a touch-down point, and the answers that say whether more follows.
    private func part<Item>(_ items: [Item], after touchDown: String, of size: Int) -> (
        items: [Item], answers: [String]
    ) {
        guard !items.isEmpty else { return ([], ["3010::Keine Einträge vorhanden"]) }
        if scenario == .endlessPages {
            return (
                Array(items.prefix(1)),
                ["0020::Auftrag ausgeführt", "3040::Es liegen weitere Informationen vor:weiter"]
            )
        }
        guard scenario == .manyPages else { return (items, ["0020::Auftrag ausgeführt"]) }
        let start = min(Int(touchDown.dropFirst(2)) ?? 0, items.count)
        let end = min(start + size, items.count)
        var answers = ["0020::Auftrag ausgeführt"]
        if end < items.count {
            answers.append("3040::Es liegen weitere Informationen vor:\(WireSegment.escaped("p+\(end)"))")
        }
        return (Array(items[start..<end]), answers)
    }

    private func list(of account: Account, _ job: WireSegment, _ reference: Int) -> Answer {
        let part = part(months, after: job.text(3), of: 5)
        return Answer(
            answers: part.answers,
            segments: part.items.flatMap { month in
                let next =
                    month.month == 12
                    ? Month(year: month.year + 1, month: 1) : Month(year: month.year, month: month.month + 1)
                return numbers(of: month).map { number, isFirstHalf in
                    let created = isFirstHalf ? day(month, 16) : day(next, 1)
                    return WireSegment.latin(
                        "HIKAU:0:2:\(reference)+\(number)+0+J+\(month.year)+\(created)+120000")
                }
            })
    }

    /// The numbers of a month's statements in its year, and whether each ends with the 15th.
    private func numbers(of month: Month) -> [(number: Int, isFirstHalf: Bool)] {
        scenario == .severalStatements
            ? [(2 * month.month - 1, true), (2 * month.month, false)] : [(month.month, false)]
    }

    private func statement(
        of account: Account, _ job: WireSegment, _ reference: Int, year: Int, number: Int
    ) -> Answer {
        var wanted: (month: Month, number: Int, isFirstHalf: Bool)?
        for month in months {
            for own in numbers(of: month) where wanted == nil || job.text(number).isEmpty {
                let isNamed = job.text(number) == String(own.number) && job.text(year) == String(month.year)
                if isNamed || job.text(number).isEmpty { wanted = (month, own.number, own.isFirstHalf) }
            }
        }
        guard let own = wanted else { return Answer(answers: ["3010::Kein Kontoauszug vorhanden"]) }
        let month = own.month
        let whole = Statement(account: account, month: month)
        let (first, last) =
            scenario != .severalStatements ? (1, month.days) : own.isFirstHalf ? (1, 15) : (16, month.days)
        let pdf = WireSegment.counted(
            (scenario == .severalStatements ? whole.during(first...last) : whole).pdf())
        let days = "\(day(month, first)):\(day(month, last))"
        let rest = "+\(account.iban)+\(FinTSParameters.bic)+Robin Ashdown"
        let segment =
            job.code == "HKEKP"
            ? WireSegment.latin("HIEKP:0:2:\(reference)+") + pdf
                + WireSegment.latin("+\(days)+\(day(month, last))+\(month.year)+\(own.number)\(rest)")
            : WireSegment.latin(
                "HIEKA:0:5:\(reference)+3+\(days)+\(day(month, last))+\(month.year)+\(own.number)+")
                + pdf + WireSegment.latin("+++\(rest)")
        return Answer(answers: ["0020::Auftrag ausgeführt"], segments: [segment])
    }

    /// The statements with bookings between two days, each month's alone; all months without days.
    private func statements(of account: Account, from first: String, to last: String) -> [Statement] {
        months.compactMap { month in
            let days = (1...month.days).filter {
                let day = day(month, $0)
                return (first.isEmpty || day >= first) && (last.isEmpty || day <= last)
            }
            guard let from = days.first, let to = days.last else { return nil }
            return Statement(account: account, month: month).during(from...to)
        }
    }

    private func camt(of account: Account, _ job: WireSegment, _ reference: Int) -> Answer {
        let sent = scenario == .otherAccount ? Account.all.first { $0 != account } ?? account : account
        let part = part(statements(of: sent, from: job.text(4), to: job.text(5)), after: job.text(7), of: 1)
        guard !part.items.isEmpty else { return Answer(answers: part.answers) }
        let head =
            "HICAZ:0:1:\(reference)+\(parameters.connection(of: sent))"
            + "+urn?:iso?:std?:iso?:20022?:tech?:xsd?:camt.053.001.02+"
        let documents = part.items.map { WireSegment.counted($0.file(.camt)) }
        return Answer(
            answers: part.answers,
            segments: [WireSegment.latin(head) + Array(documents.joined(separator: [UInt8(ascii: ":")]))])
    }

    private func mt940(of account: Account, _ job: WireSegment, _ reference: Int) -> Answer {
        let sent = scenario == .otherAccount ? Account.all.first { $0 != account } ?? account : account
        let text = statements(of: sent, from: job.text(3), to: job.text(4)).flatMap { $0.file(.mt940) }
        guard !text.isEmpty else { return Answer(answers: ["3010::Keine Umsätze"]) }
        // A bank may cut the text anywhere.
        let pieces = stride(from: 0, to: text.count, by: 700).map { Array(text[$0..<min($0 + 700, text.count)]) }
        let part = part(scenario == .manyPages ? pieces : [text], after: job.text(6), of: 1)
        return Answer(
            answers: part.answers,
            segments: part.items.map {
                WireSegment.latin("HIKAZ:0:\(job.version):\(reference)+") + WireSegment.counted($0)
            })
    }
}
