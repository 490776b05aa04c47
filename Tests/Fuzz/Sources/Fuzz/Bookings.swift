import Foundation

@testable import Encodings
@testable import FileKinds

/// Reads a bank's file of transactions, exports it in every format, and reads the exports that can be read.
///
/// The first line of the input may declare the columns of a CSV file, as `booked=Date,amount=Amount`.
func fuzzTransactions(_ input: [UInt8]) {
    let (line, rest) = firstLine(of: input)
    var options = ReadingOptions()
    options.account = "12345678"
    options.currency = "EUR"
    options.columns = try? CSVColumns(line)
    let bytes = options.columns == nil ? input : Array(rest)
    guard let statements = try? TransactionFile.read(bytes, options: options) else { return }
    promise((try? TransactionFile.read(bytes, options: options)) == statements, "a file always says the same")
    for transaction in statements.flatMap(\.transactions) { check(transaction) }
    let histories = AccountHistory.of(statements)
    for history in histories {
        promise(
            Set(history.transactions.map(\.id)).count == history.transactions.count, "an account has each booking once")
        promise(
            zip(history.transactions, history.transactions.dropFirst()).allSatisfy { $0.booked <= $1.booked },
            "in order")
    }
    checkExports(of: histories)
}

private func check(_ transaction: Transaction) {
    promise(TransactionIdentity.isID(transaction.id), "a transaction has an id: \(transaction.id)")
    promise(Statement.isCurrency(transaction.currency), "a transaction has a currency: \(transaction.currency)")
    let amount = transaction.amount
    promise(Amount(amount.description) == amount, "an amount is read as it is written: \(amount)")
    promise(CalendarDay(iso: transaction.booked.description) == transaction.booked, "so is a day")
    for text in [transaction.counterparty, transaction.purpose] {
        promise(!text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }, "a text is one line")
    }
}

private func checkExports(of histories: [AccountHistory]) {
    for export in TransactionExport.allCases {
        guard let text = try? export.text(histories) else {
            promise(export == .ofx, "every format but OFX takes every file")
            continue
        }
        switch export {
        case .json:
            do { _ = try JSONReader.read(Array(text.utf8)) } catch { fatalError("broken: an export is JSON: \(error)") }
        case .csv: checkReading(text, as: .csv, of: histories)
        case .ofx, .beancount, .ledger: break
        }
    }
    for history in histories {
        guard let text = try? TransactionExport.ofx.text([history]) else { continue }
        checkReading(text, as: .ofx, of: [history])
    }
}

private func checkReading(_ text: String, as kind: FileKind, of histories: [AccountHistory]) {
    let old = histories.flatMap(\.transactions)
    guard !old.isEmpty else { return }
    do {
        let new = try TransactionFile.read(Array(text.utf8), as: kind).flatMap(\.transactions)
        promise(new.map(\.id).sorted() == old.map(\.id).sorted(), "an export keeps the ids:\n\(text)")
        let amounts = Dictionary(old.map { ($0.id, $0.amount) }, uniquingKeysWith: { first, _ in first })
        for transaction in new {
            promise(transaction.amount == amounts[transaction.id], "an export keeps the amounts:\n\(text)")
        }
    } catch {
        fatalError("broken: an export is read: \(error)\n\(text)")
    }
}
