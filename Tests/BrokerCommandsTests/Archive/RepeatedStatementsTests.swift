import Clocks
import FileKinds
import Testing

@testable import BrokerCommands

@Suite("Statements in several forms")
struct RepeatedStatementsTests {
    /// A file whose only statement has some amounts, on days that follow one another.
    private struct Made {
        var form: String
        var account = ""
        var amounts = ["-5.00", "20.00", "-7.50"]
        var place: ReadFile.Place?
        var day = 1
    }

    private static func repeats(_ made: [Made]) throws -> RepeatedStatements {
        let statements = try made.map { made in
            var statement = Statement(account: made.account, currency: "GBP")
            for (offset, amount) in made.amounts.enumerated() {
                let day = try #require(CalendarDay(year: 2026, month: 3, day: made.day + offset))
                statement.transactions.append(
                    Transaction(booked: day, amount: try #require(Amount(amount)), currency: "GBP"))
            }
            return statement
        }
        let files = made.indices.map {
            ReadFile(
                statements: $0..<$0 + 1, name: "\($0).\(made[$0].form)", form: made[$0].form, place: made[$0].place)
        }
        return RepeatedStatements(files, statements)
    }

    private static func place(_ account: String, month: Int = 3) -> ReadFile.Place {
        ReadFile.Place(bank: "b", account: account, period: MonthYear(month: month, year: 2026))
    }

    @Test("the form that names the account is read, whichever came first")
    func named() throws {
        for made in [
            [
                Made(form: "csv", place: Self.place("giro")),
                Made(form: "camt", account: "X1", place: Self.place("giro")),
            ],
            [Made(form: "csv"), Made(form: "camt", account: "X1")],
            [Made(form: "csv", place: Self.place("")), Made(form: "ofx", account: "X1", place: Self.place(""))],
        ] {
            let there = try Self.repeats(made)
            let back = try Self.repeats(made.reversed())
            #expect(there.repeated == [0] && back.repeated == [1])
            #expect(there.notes.count == 1 && there.doubtful == 0)
        }
    }

    @Test("two accounts with the same amounts stay two")
    func accounts() throws {
        for made in [
            [Made(form: "csv", place: Self.place("a")), Made(form: "camt", account: "X1", place: Self.place("b"))],
            [
                Made(form: "csv", place: Self.place("a", month: 2)),
                Made(form: "camt", account: "X1", place: Self.place("a")),
            ],
            [Made(form: "camt"), Made(form: "camt", account: "X1")],
            [Made(form: "csv", amounts: ["1.00"]), Made(form: "camt", account: "X1", amounts: ["1.00"])],
            [Made(form: "csv"), Made(form: "camt", account: "X1", day: 20)],
            [Made(form: "csv"), Made(form: "camt", account: "X1", day: 2)],
        ] {
            let repeats = try Self.repeats(made)
            #expect(repeats.repeated.isEmpty && repeats.notes.isEmpty && repeats.doubtful == 0, "\(repeats)")
        }
    }

    @Test("it is said where the files do not tell")
    func doubtful() throws {
        let names = try Self.repeats([Made(form: "csv", account: "giro"), Made(form: "camt", account: "X1")])
        #expect(names.repeated.isEmpty && names.doubtful == 1 && names.notes.count == 1)
        let amounts = try Self.repeats([
            Made(form: "csv", amounts: ["1.00"], place: Self.place("giro")),
            Made(form: "camt", place: Self.place("giro")),
        ])
        #expect(amounts.repeated.isEmpty && amounts.doubtful == 1 && amounts.notes.count == 1)
    }
}
