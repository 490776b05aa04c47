import Encodings
import Foundation
import HTMLAutomation
import HTMLEngine
import Markup

/// Writes the lines of a survey for a page.
struct SurveyWriter {
    let mask: SurveyMask
    let locale: String

    func lines(of visit: RecordedVisit) -> [SurveyLine] {
        guard let document = visit.document else {
            let type = visit.landed.isPDF ? "pdf" : visit.landed.mediaType ?? "unknown"
            return [
                SurveyLine(
                    0, "document", nil, [("by", visit.request.method), ("at", mask.path(visit.url)), ("type", type)])
            ]
        }
        let outline = PageOutline(document)
        var lines = [
            SurveyLine(
                0, "page", mask.words(document.title),
                [
                    ("by", visit.request.method), ("at", mask.path(visit.landed.url)),
                    ("status", "\(visit.landed.status)"),
                ])
        ]
        if document.root?.descendants.contains(where: { $0.name == "script" }) == true {
            lines[0].details.append(.init(name: "scripts", value: nil))
        }
        lines += outline.headings.filter { $0.name != "caption" }.map { SurveyLine(1, "heading", mask.words($0.text)) }
        for form in outline.forms { lines += self.lines(of: form) }
        lines += tables(of: document)
        lines += links(of: outline)
        lines += frames(of: document)
        return lines
    }

    // MARK: Forms

    private func lines(of form: FormOutline) -> [SurveyLine] {
        var lines = [SurveyLine(1, "form", nil, [("by", form.method), ("to", mask.path(form.action ?? ""))])]
        lines += form.fields.filter { !$0.isDisabled }.map(line)
        lines += form.buttons.map { button in
            SurveyLine(
                2, "button", mask.label(button.label),
                button.name.isEmpty ? [] : [("name", mask.technical(button.name))])
        }
        return lines
    }

    private func line(of field: FieldOutline) -> SurveyLine {
        var details: [(String, String?)] = [("type", field.type)]
        if !field.name.isEmpty { details.append(("name", mask.technical(field.name))) }
        // The length and the alphabet of a password are half of its secret.
        let isPassword =
            field.type == "password" || field.name.lowercased().contains(/pass|pwd|secret|^pin$/)
        let names = isPassword ? ["autocomplete", "role"] : ["autocomplete", "inputmode", "maxlength", "role"]
        for name in names {
            if let value = field.element[attribute: name], !value.isEmpty, value.count <= 30 {
                details.append((name, value))
            }
        }
        if field.element.has("required") { details.append(("required", nil)) }
        if !field.options.isEmpty, !isPassword {
            let shapes = Set(field.options.map { ValueShape($0.label, locale: locale).rawValue })
            details.append(("options", shapes.sorted().joined(separator: ",")))
        }
        return SurveyLine(2, "field", field.isHidden || field.label.isEmpty ? nil : mask.label(field.label), details)
    }

    // MARK: Links, tables, frames

    private func links(of outline: PageOutline) -> [SurveyLine] {
        var seen: Set<SurveyLine> = []
        return outline.links.filter { $0.row?.isTableRow != true }.compactMap { link in
            var details: [(String, String?)] = [("to", mask.path(link.url))]
            if let relation = link.element[attribute: "rel"], relation.count <= 20 { details.append(("rel", relation)) }
            if RecordedMonth(in: link.label, locale: locale) != nil { details.append(("says", "month-and-year")) }
            let line = SurveyLine(1, "link", mask.words(link.label), details)
            return seen.insert(line).inserted ? line : nil
        }
    }

    private func tables(of document: Document) -> [SurveyLine] {
        var lines: [SurveyLine] = []
        for table in document.root?.descendants.filter({ $0.name == "table" }) ?? [] where !table.isHidden {
            let caption = table.children.first { $0.name == "caption" }.map { mask.words($0.text) }
            let rows = table.descendants.filter { row in
                row.name == "tr" && row.children.contains { $0.name == "td" }
            }
            lines.append(SurveyLine(1, "table", caption, [("rows", rows.count > 1 ? "several" : "\(rows.count)")]))
            let headings = table.descendants.filter { $0.name == "th" }.map(\.text)
            for (index, cell) in (rows.first?.children.filter { $0.name == "td" } ?? []).enumerated() {
                lines.append(column(cell, headings.indices.contains(index) ? headings[index] : nil))
            }
        }
        return lines
    }

    private func column(_ cell: Element, _ heading: String?) -> SurveyLine {
        let control = cell.descendants.first { element in
            element.name == "button" || (element.name == "a" && element.has("href"))
        }
        var details: [(String, String?)] = []
        if let control {
            details.append((control.name == "a" ? "link" : "button", mask.words(control.accessibleName)))
            if RecordedMonth(in: control.accessibleName, locale: locale) != nil {
                details.append(("says", "month-and-year"))
            }
        } else {
            details.append(("holds", ValueShape(cell.text, locale: locale).rawValue))
        }
        return SurveyLine(2, "column", heading.map(mask.label), details)
    }

    private func frames(of document: Document) -> [SurveyLine] {
        let frames = document.root?.descendants.filter { $0.name == "iframe" || $0.name == "frame" } ?? []
        return frames.map { SurveyLine(1, "frame", nil, [("at", mask.path($0[attribute: "src"] ?? ""))]) }
    }

    // MARK: JSON

    func lines(ofJSON exchange: Exchange) -> [SurveyLine] {
        guard let body = exchange.responseBody,
            let value = try? JSONReader.read(body, limits: JSONLimits(size: body.count))
        else { return [] }
        var lines = [
            SurveyLine(
                0, "json", nil,
                [("by", exchange.method), ("at", mask.path(exchange.url)), ("status", "\(exchange.status)")])
        ]
        if let sent = exchange.requestBody, let value = try? JSONReader.read(sent) {
            lines += members(of: value, kind: "sends")
        }
        return lines + members(of: value, kind: "member")
    }

    /// Lists each path once, with the types of its values; of a secret, only that it is there.
    private func members(of value: JSONValue, kind: String) -> [SurveyLine] {
        var types: [String: Set<String>] = [:]
        var order: [String] = []
        func note(_ path: String, _ type: String) {
            if types[path] == nil { order.append(path) }
            types[path, default: []].insert(type)
        }
        func walk(_ value: JSONValue, _ path: String) {
            switch value {
            case .null: note(path, "null")
            case .bool: note(path, "boolean")
            case .number: note(path, "number")
            case .string(let text): note(path, "string:" + ValueShape(text, locale: locale).rawValue)
            case .array(let items):
                if items.isEmpty { note(path, "array") }
                for item in items { walk(item, path + "[*]") }
            case .object(let members):
                for (name, member) in members.sorted(by: { $0.key < $1.key }) {
                    let inner = path + "." + mask.technical(name)
                    if kind == "sends", Mask().hidesValues(named: name) {
                        note(inner, "secret")
                    } else {
                        walk(member, inner)
                    }
                }
            }
        }
        walk(value, "$")
        return order.prefix(200).map { path in
            SurveyLine(1, kind, nil, [("at", path), ("type", (types[path] ?? []).sorted().joined(separator: ","))])
        }
    }
}
