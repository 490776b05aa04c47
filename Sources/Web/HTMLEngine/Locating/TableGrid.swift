import Markup

/// A table as a grid of cells with their spans (HTML Standard, section 4.9.12).
struct TableGrid {
    struct Cell {
        let element: Element
        let rows: Range<Int>
        let columns: Range<Int>
        let isHeader: Bool
    }

    /// Limits the grid places of all tables of a page, and the spans to visit: a page of a thousand cells can ask for a
    /// million of each.
    struct Budget {
        private(set) var left = 2_000_000

        mutating func spend(_ places: Int) throws(TooTangled) {
            left -= places
            guard left >= 0 else { throw TooTangled() }
        }
    }

    struct TooTangled: Error {}

    /// The limits of section 4.9.11.
    private static let mostColumns = 1000
    private static let mostRows = 65_534

    private(set) var cells: [Cell] = []
    /// The number of rows with data cells before each row; the last entry counts all.
    private var rowsWithData: [Int] = []

    init(_ table: Element, budget: inout Budget) throws(TooTangled) {
        let groups = Self.rowGroups(of: table)
        var number = 0
        // The first free row of each column.
        var free: [Int] = []
        for group in groups {
            let end = number + group.count
            for row in group {
                try budget.spend(1)
                var column = 0
                for element in row.children where element.name == "td" || element.name == "th" {
                    while column < free.count, free[column] > number {
                        try budget.spend(1)
                        column += 1
                    }
                    let width = min(max(Int(element[attribute: "colspan"] ?? "") ?? 1, 1), Self.mostColumns)
                    let asked = min(Int(element[attribute: "rowspan"] ?? "") ?? 1, Self.mostRows)
                    // A cell does not extend beyond its row group.
                    let height = asked < 1 ? end - number : min(asked, end - number)
                    try budget.spend(width)
                    let columns = column..<column + width
                    if free.count < columns.upperBound {
                        free += repeatElement(0, count: columns.upperBound - free.count)
                    }
                    for covered in columns { free[covered] = number + height }
                    let isHeader =
                        element.name == "th" || element[attribute: "role"]?.lowercased() == "columnheader"
                    cells.append(
                        Cell(element: element, rows: number..<number + height, columns: columns, isHeader: isHeader))
                    column = columns.upperBound
                }
                number += 1
            }
        }
        let data = RowCount(of: cells.lazy.filter { !$0.isHeader }, rows: number)
        rowsWithData = data.before
    }

    /// Returns the rows by row group, without those of nested tables. The footer comes last (section 4.9.12).
    private static func rowGroups(of table: Element) -> [[Element]] {
        var groups: [[Element]] = []
        var feet: [[Element]] = []
        var loose: [Element] = []
        for child in table.children {
            if child.name == "tr" {
                loose.append(child)
                continue
            }
            guard ["thead", "tbody", "tfoot"].contains(child.name) else { continue }
            if !loose.isEmpty { groups.append(loose) }
            loose = []
            let rows = child.children.filter { $0.name == "tr" }
            if child.name == "tfoot" { feet.append(rows) } else { groups.append(rows) }
        }
        if !loose.isEmpty { groups.append(loose) }
        return groups + feet
    }

    /// Returns whether the cell is the header of a column: a `th` that is not its row's header, or a cell of `thead`.
    func isColumnHeader(_ cell: Cell) -> Bool {
        if cell.element[attribute: "scope"]?.lowercased() == "row" { return false }
        if cell.element.parent?.parent?.name == "thead" { return true }
        guard cell.isHeader else { return false }
        // In a row with data, the header names the row.
        return rowsWithData[cell.rows.lowerBound] == rowsWithData[cell.rows.upperBound] || cell.rows.lowerBound == 0
    }

    func isRowHeader(_ cell: Cell) -> Bool { cell.element.name == "th" && !isColumnHeader(cell) }

    /// Returns the data cells below, or beside, the headers that fit.
    func cells(under fits: (Cell) -> Bool) -> [Cell] {
        let headers = cells.filter(fits)
        // The first row with such a header, for each column.
        var first: [Int: Int] = [:]
        for header in headers where isColumnHeader(header) {
            for column in header.columns { first[column] = min(first[column] ?? .max, header.rows.lowerBound) }
        }
        let named = RowCount(of: headers.lazy.filter(isRowHeader), rows: rowsWithData.count - 1)
        let isHeader = Set(headers.map(\.element))
        return cells.filter { cell in
            guard cell.element.name == "td", !isHeader.contains(cell.element) else { return false }
            return named.before[cell.rows.lowerBound] != named.before[cell.rows.upperBound]
                || cell.columns.contains { (first[$0] ?? .max) < cell.rows.lowerBound }
        }
    }
}

/// The number of rows that some cells reach, counted before each row.
private struct RowCount {
    /// One entry more than there are rows; the last counts all.
    private(set) var before: [Int]

    init(of cells: some Sequence<TableGrid.Cell>, rows: Int) {
        // The difference in the number of cells between a row and the one before.
        var change = Array(repeating: 0, count: rows + 1)
        for cell in cells {
            change[cell.rows.lowerBound] += 1
            change[cell.rows.upperBound] -= 1
        }
        before = [0]
        before.reserveCapacity(rows + 1)
        var reaching = 0
        for row in 0..<rows {
            reaching += change[row]
            before.append(before[row] + (reaching > 0 ? 1 : 0))
        }
    }
}
