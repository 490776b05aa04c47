import Encodings

/// Tags in tables (HTML Standard, sections 13.2.6.4.9 to 13.2.6.4.15).
extension TreeBuilder {
    private var tag: Tag { tokenizer.tag.tag }

    mutating func startTagInTable() -> Outcome {
        switch tag {
        case .caption:
            open.clear(backTo: .table)
            formatting.addMarker()
            insertElement()
            mode = .inCaption
        case .colgroup:
            open.clear(backTo: .table)
            insertElement()
            mode = .inColumnGroup
        case .col:
            open.clear(backTo: .table)
            insertElement(.colgroup)
            mode = .inColumnGroup
            return .again
        case .tbody, .tfoot, .thead:
            open.clear(backTo: .table)
            insertElement()
            mode = .inTableBody
        case .td, .th, .tr:
            open.clear(backTo: .table)
            insertElement(.tbody)
            mode = .inTableBody
            return .again
        case .table:
            guard open.isInTableScope(.table) else { return .done }
            open.pop(through: .table)
            resetMode()
            return .again
        case .style, .script, .template: return startTagInHead()
        case .input where isHiddenInput: insertVoidElement()
        case .form:
            guard open.templates == 0, form == nil else { return .done }
            insertElement()
            form = open.current?.node
            open.pop()
        default:
            var outcome = Outcome.done
            fostering { outcome = $0.startTagInBody() }
            return outcome
        }
        return .done
    }

    var isHiddenInput: Bool {
        guard let type = tokenizer.value(of: tokenizer.names.type) else { return false }
        return tokenizer.withBytes(of: type) { value in
            value.count == 6 && zip(value, "hidden".utf8).allSatisfy { $0 | 0x20 == $1 }
        }
    }

    mutating func endTagInTable() -> Outcome {
        switch tag {
        case .table:
            guard open.isInTableScope(.table) else { return .done }
            open.pop(through: .table)
            resetMode()
        case .body, .caption, .col, .colgroup, .html, .tbody, .td, .tfoot, .th, .thead, .tr: break
        case .template: endTemplate()
        default:
            var outcome = Outcome.done
            fostering { outcome = $0.endTagInBody() }
            return outcome
        }
        return .done
    }

    // MARK: Caption

    mutating func startTagInCaption() -> Outcome {
        switch tag {
        case .caption, .col, .colgroup, .tbody, .td, .tfoot, .th, .thead, .tr: closeCaption() ? .again : .done
        default: startTagInBody()
        }
    }

    mutating func endTagInCaption() -> Outcome {
        switch tag {
        case .caption:
            _ = closeCaption()
            return .done
        case .table: return closeCaption() ? .again : .done
        case .body, .col, .colgroup, .html, .tbody, .td, .tfoot, .th, .thead, .tr: return .done
        default: return endTagInBody()
        }
    }

    private mutating func closeCaption() -> Bool {
        guard open.isInTableScope(.caption) else { return false }
        open.generateImpliedEndTags()
        open.pop(through: .caption)
        formatting.clearToMarker()
        mode = .inTable
        return true
    }

    // MARK: Columns

    mutating func startTagInColumnGroup() -> Outcome {
        switch tag {
        case .html: return startTagInBody()
        case .col:
            insertVoidElement()
            return .done
        case .template: return startTagInHead()
        default: return leaveColumnGroup() ? .again : .done
        }
    }

    mutating func endTagInColumnGroup() -> Outcome {
        switch tag {
        case .colgroup:
            _ = leaveColumnGroup()
            return .done
        case .col: return .done
        case .template:
            endTemplate()
            return .done
        default: return leaveColumnGroup() ? .again : .done
        }
    }

    private mutating func leaveColumnGroup() -> Bool {
        guard open.isCurrent(.colgroup) else { return false }
        open.pop()
        mode = .inTable
        return true
    }

    // MARK: Rows

    mutating func startTagInTableBody() -> Outcome {
        switch tag {
        case .tr:
            open.clear(backTo: .tbody, .tfoot, .thead)
            insertElement()
            mode = .inRow
            return .done
        case .th, .td:
            open.clear(backTo: .tbody, .tfoot, .thead)
            insertElement(.tr)
            mode = .inRow
            return .again
        case .caption, .col, .colgroup, .tbody, .tfoot, .thead: return leaveTableBody()
        default: return startTagInTable()
        }
    }

    mutating func endTagInTableBody() -> Outcome {
        switch tag {
        case .tbody, .tfoot, .thead:
            guard open.isInTableScope(tag) else { return .done }
            open.clear(backTo: .tbody, .tfoot, .thead)
            open.pop()
            mode = .inTable
            return .done
        case .table: return leaveTableBody()
        case .body, .caption, .col, .colgroup, .html, .td, .th, .tr: return .done
        default: return endTagInTable()
        }
    }

    private mutating func leaveTableBody() -> Outcome {
        guard open.isInTableScope(.tbody) || open.isInTableScope(.thead) || open.isInTableScope(.tfoot) else {
            return .done
        }
        open.clear(backTo: .tbody, .tfoot, .thead)
        open.pop()
        mode = .inTable
        return .again
    }

    mutating func startTagInRow() -> Outcome {
        switch tag {
        case .th, .td:
            open.clear(backTo: .tr)
            insertElement()
            mode = .inCell
            formatting.addMarker()
            return .done
        case .caption, .col, .colgroup, .tbody, .tfoot, .thead, .tr: return leaveRow() ? .again : .done
        default: return startTagInTable()
        }
    }

    mutating func endTagInRow() -> Outcome {
        switch tag {
        case .tr:
            _ = leaveRow()
            return .done
        case .table: return leaveRow() ? .again : .done
        case .tbody, .tfoot, .thead:
            guard open.isInTableScope(tag) else { return .done }
            return leaveRow() ? .again : .done
        case .body, .caption, .col, .colgroup, .html, .td, .th: return .done
        default: return endTagInTable()
        }
    }

    private mutating func leaveRow() -> Bool {
        guard open.isInTableScope(.tr) else { return false }
        open.clear(backTo: .tr)
        open.pop()
        mode = .inTableBody
        return true
    }

    // MARK: Cells

    mutating func startTagInCell() -> Outcome {
        switch tag {
        case .caption, .col, .colgroup, .tbody, .td, .tfoot, .th, .thead, .tr:
            guard open.isInTableScope(.td) || open.isInTableScope(.th) else { return .done }
            closeCell()
            return .again
        default: return startTagInBody()
        }
    }

    mutating func endTagInCell() -> Outcome {
        switch tag {
        case .td, .th:
            guard open.isInTableScope(tag) else { return .done }
            open.generateImpliedEndTags()
            open.pop(through: tag)
            formatting.clearToMarker()
            mode = .inRow
            return .done
        case .body, .caption, .col, .colgroup, .html: return .done
        case .table, .tbody, .tfoot, .thead, .tr:
            guard open.isInTableScope(tag) else { return .done }
            closeCell()
            return .again
        default: return endTagInBody()
        }
    }

    private mutating func closeCell() {
        open.generateImpliedEndTags()
        while let last = open.current {
            open.pop()
            if last.isHTML(.td) || last.isHTML(.th) { break }
        }
        formatting.clearToMarker()
        mode = .inRow
    }
}
