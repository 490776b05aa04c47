import Foundation

/// Many small bank files under the paths of an archive's standard template: 100 accounts, and a file for each month.
struct ManyDocuments {
    static let banks = 10
    static let accountsOfEach = 10
    /// A word in one document.
    static let rareWord = "quokkainsurance"
    /// A word in every document.
    static let commonWord = "booking"

    let root: URL
    let count: Int

    /// Writes the files.
    ///
    /// - Returns: their size together, in bytes.
    func write() throws -> Int {
        var bytes = 0
        for number in 0..<count {
            let text = text(number)
            let file = root.appending(path: path(number))
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
            bytes += text.utf8.count
        }
        return bytes
    }

    private func path(_ number: Int) -> String {
        let account = number % (Self.banks * Self.accountsOfEach)
        let months = number / (Self.banks * Self.accountsOfEach)
        let period = String(format: "%d-%02d", 1940 + months / 12, months % 12 + 1)
        return "bank\(account / Self.accountsOfEach)/Account \(account % Self.accountsOfEach)/"
            + "\(1940 + months / 12)/\(period) csv.csv"
    }

    /// A table of some 3 KB; no two are the same.
    private func text(_ number: Int) -> String {
        var lines = ["Date;Amount;Text;Reference"]
        for row in 0..<40 {
            let value = (number &* 40 &+ row) &* 2_654_435_761 % 1_000_003
            lines.append(
                "2025-03-\(10 + row % 20);-\(value / 100),\(10 + value % 90);\(Self.commonWord) shop\(value % 977);R\(number)X\(row)"
            )
        }
        if number == count / 2 { lines.append("2025-03-31;-1,00;\(Self.rareWord);R") }
        return lines.joined(separator: "\n") + "\n"
    }
}
