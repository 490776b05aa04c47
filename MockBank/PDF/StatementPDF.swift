extension Statement {
    /// Returns the statement as the customer downloads it: bank, account, period, and a table of transactions.
    ///
    /// - Parameter padding: a number of extra bytes, in an object that no page shows.
    func pdf(padding: Int = 0) -> [UInt8] {
        var document = PDFDocument(title: "Statement \(month.name)")
        document.box(x: 0, y: 790, width: 595, height: 52, red: 0.07, green: 0.24, blue: 0.33)
        document.text("Meridian Savings", x: 48, y: 808, size: 18, font: .bold, gray: 1)
        document.text("Statement of account", x: 48, y: 752, size: 15, font: .bold)
        document.text("Period: \(month.name) (1 – \(month.days) \(month.name))", x: 48, y: 730)
        document.text("Account: \(account.name), \(account.number)", x: 48, y: 714)
        document.text("Account holder: Robin Ashdown", x: 48, y: 698)
        document.text("Opening balance", x: 380, y: 730)
        document.text(money(opening), endingAt: 547, y: 730)
        document.text("Closing balance", x: 380, y: 714, font: .bold)
        document.text(money(closing), endingAt: 547, y: 714, font: .bold)
        var y = 660.0
        document.text("Date", x: 48, y: y, font: .bold)
        document.text("Description", x: 120, y: y, font: .bold)
        document.text("Amount", x: 404, y: y, font: .bold)
        document.text("Balance", x: 507, y: y, font: .bold)
        document.line(from: (48, y - 6), to: (547, y - 6), gray: 0.2)
        for transaction in transactions {
            y -= 22
            document.text("\(transaction.day) \(Month.names[month.month - 1].prefix(3)) \(month.year)", x: 48, y: y)
            document.text(transaction.text, x: 120, y: y)
            document.text(money(transaction.amount), endingAt: 442, y: y)
            document.text(money(transaction.balance), endingAt: 547, y: y)
            document.line(from: (48, y - 6), to: (547, y - 6), gray: 0.88)
        }
        document.text(
            "Amounts in pounds. Meridian Savings is a fictional bank; nothing here is real.", x: 48, y: 48, size: 8,
            gray: 0.4)
        document.endPage()
        return document.bytes(padding: padding)
    }
}
