import Markup

/// Checks a spreadsheet (ECMA-376): a ZIP archive whose parts are XML.
enum Workbook {
    /// The part that names the sheets.
    static let mainPart = "xl/workbook.xml"

    private static let required = ["[Content_Types].xml", mainPart]

    /// Checks the archive, that the parts of a workbook are in it, and that no part has entities or macros.
    ///
    /// - Throws: ``FileRefusal``.
    static func check(_ bytes: [UInt8], limits: FileLimits) throws(FileRefusal) {
        let entries = try ZIPEntries(bytes, limits: limits)
        try entries.check()
        for name in required where entries.entry(name) == nil {
            throw FileRefusal(.damaged, "the spreadsheet has no part \(name), so it is damaged; download it again")
        }
        if entries.entries.contains(where: { $0.name.lowercased().hasSuffix("vbaproject.bin") }) {
            throw FileRefusal(.forbidden, "the file is a spreadsheet with macros (XLSM); save it without macros")
        }
        for entry in entries.entries where entry.name.hasSuffix(".xml") || entry.name.hasSuffix(".rels") {
            let part = try entries.content(of: entry)
            do {
                try XMLRecords.read(part) { _ in true }
            } catch let error as XMLError {
                let code: FileRefusal.Code = error.code == .forbidden ? .forbidden : .damaged
                throw FileRefusal(code, "the spreadsheet's part \(entry.name): \(error)")
            } catch {
                throw FileRefusal(.damaged, "the spreadsheet's part \(entry.name): \(error)")
            }
        }
    }

    /// Returns the texts of the cells, without numbers and formulas.
    static func text(_ bytes: [UInt8], atMost limit: Int) throws(FileRefusal) -> String {
        let entries = try ZIPEntries(bytes, limits: FileLimits())
        guard let strings = entries.entry("xl/sharedStrings.xml") else { return "" }
        let part = try entries.content(of: strings)
        var text = ""
        do {
            try XMLRecords.read(part) { element in
                if element.name == "t", text.utf8.count < limit { text += element.text + "\n" }
                return true
            }
        } catch {
            throw FileRefusal(.damaged, "the spreadsheet's texts: \(error)")
        }
        return text
    }
}
