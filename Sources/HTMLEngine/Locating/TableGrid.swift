/// A table as a grid of cells, spans counted (HTML Standard, section 4.9.12).
struct TableGrid {
    struct Cell {
        let element: Element
        let rows: Range<Int>
        let columns: Range<Int>
        var isHeader: Bool { element.name == "th" || element[attribute: "role"]?.lowercased() == "columnheader" }
    }

    /// Section 4.9.11's own limits.
    private static let mostColumns = 1000
    private static let mostRows = 65_534

    private(set) var cells: [Cell] = []

    init(_ table: Element) {
        // Rows of tables inside a cell are another grid's.
        let rows = table.descendants.filter { row in
            row.name == "tr" && row.ancestors.first { $0.name == "table" } == table
        }
        var occupied: [Int: Int] = [:]
        for (number, row) in rows.enumerated() {
            var column = 0
            for element in row.children where element.name == "td" || element.name == "th" {
                while let end = occupied[column], end > number { column += 1 }
                let width = min(max(Int(element[attribute: "colspan"] ?? "") ?? 1, 1), Self.mostColumns)
                let asked = min(Int(element[attribute: "rowspan"] ?? "") ?? 1, Self.mostRows)
                let height = asked < 1 ? rows.count - number : min(asked, rows.count - number)
                let cell = Cell(element: element, rows: number..<number + height, columns: column..<column + width)
                cells.append(cell)
                for covered in cell.columns { occupied[covered] = cell.rows.upperBound }
                column += width
            }
        }
    }

    /// Whether the cell says what the cells below it are: a `th` that is not its row's own header, or a cell of `thead`.
    func isColumnHeader(_ cell: Cell) -> Bool {
        if cell.element[attribute: "scope"]?.lowercased() == "row" { return false }
        if cell.element.parent?.parent?.name == "thead" { return true }
        guard cell.isHeader else { return false }
        // A row that has data too is named by its header.
        return cells.allSatisfy { !$0.rows.overlaps(cell.rows) || $0.isHeader } || cell.rows.lowerBound == 0
    }

    func isRowHeader(_ cell: Cell) -> Bool { cell.element.name == "th" && !isColumnHeader(cell) }
}
