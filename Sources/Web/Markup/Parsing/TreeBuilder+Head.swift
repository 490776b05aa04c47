/// Tags before the body (HTML Standard, sections 13.2.6.4.1 to 13.2.6.4.6), and templates.
extension TreeBuilder {
    private var tag: Tag { tokenizer.tag.tag }

    mutating func startTagBeforeHTML() -> Outcome {
        guard tag == .html else { return advanceToBody() }
        insertRoot(hasAttributes: true)
        mode = .beforeHead
        return .done
    }

    mutating func startTagBeforeHead() -> Outcome {
        switch tag {
        case .html: return startTagInBody()
        case .head:
            insertElement()
            head = open.current
            mode = .inHead
            return .done
        default: return advanceToBody()
        }
    }

    mutating func endTagBeforeHead() -> Outcome {
        switch tag {
        case .head, .body, .html, .br: advanceToBody()
        default: .done
        }
    }

    mutating func startTagInHead() -> Outcome {
        switch tag {
        case .html: return startTagInBody()
        case .base, .basefont, .bgsound, .link, .meta: insertVoidElement()
        case .title: insertText(ofModel: .rcdata)
        case .noframes, .style: insertText(ofModel: .rawText)
        case .script: insertText(ofModel: .script)
        case .noscript:
            insertElement()
            mode = .inHeadNoscript
        case .template:
            insertElement()
            formatting.addMarker()
            isFramesetOK = false
            mode = .inTemplate
            templateModes.append(.inTemplate)
        case .head: break
        default: return advanceToBody()
        }
        return .done
    }

    /// Inserts an element whose text only its own end tag ends.
    mutating func insertText(ofModel model: Tokenizer.Model) {
        insertElement()
        tokenizer.model = model
        tokenizer.awaited = tokenizer.tag.name
        originalMode = mode
        mode = .text
    }

    mutating func endTagInHead() -> Outcome {
        switch tag {
        case .head:
            open.pop()
            mode = .afterHead
            return .done
        case .body, .html, .br: return advanceToBody()
        case .template:
            endTemplate()
            return .done
        default: return .done
        }
    }

    mutating func endTemplate() {
        guard open.templates > 0 else { return }
        open.generateImpliedEndTagsThoroughly()
        open.pop(through: .template)
        formatting.clearToMarker()
        templateModes.removeLast()
        resetMode()
    }

    mutating func startTagInHeadNoscript() -> Outcome {
        switch tag {
        case .html: startTagInBody()
        case .basefont, .bgsound, .link, .meta, .noframes, .style: startTagInHead()
        case .head, .noscript: .done
        default: advanceToBody()
        }
    }

    mutating func endTagInHeadNoscript() -> Outcome {
        switch tag {
        case .noscript:
            open.pop()
            mode = .inHead
            return .done
        case .br: return advanceToBody()
        default: return .done
        }
    }

    mutating func startTagAfterHead() -> Outcome {
        switch tag {
        case .html: return startTagInBody()
        case .body:
            insertElement()
            isFramesetOK = false
            mode = .inBody
        case .frameset:
            insertElement()
            mode = .inFrameset
        case .base, .basefont, .bgsound, .link, .meta, .noframes, .script, .style, .template, .title:
            guard let head else { return .done }
            open.push(head)
            let outcome = startTagInHead()
            if let index = open.index(of: head.node) { open.remove(at: index) }
            return outcome
        case .head: break
        default: return advanceToBody()
        }
        return .done
    }

    mutating func endTagAfterHead() -> Outcome {
        switch tag {
        case .template:
            endTemplate()
            return .done
        case .body, .html, .br: return advanceToBody()
        default: return .done
        }
    }

    mutating func endTagInText() -> Outcome {
        open.pop()
        mode = originalMode
        return .done
    }

    // MARK: Templates (section 13.2.6.4.18)

    mutating func startTagInTemplate() -> Outcome {
        switch tag {
        case .base, .basefont, .bgsound, .link, .meta, .noframes, .script, .style, .template, .title:
            return startTagInHead()
        case .caption, .colgroup, .tbody, .tfoot, .thead: return switchTemplateMode(to: .inTable)
        case .col: return switchTemplateMode(to: .inColumnGroup)
        case .tr: return switchTemplateMode(to: .inTableBody)
        case .td, .th: return switchTemplateMode(to: .inRow)
        default: return switchTemplateMode(to: .inBody)
        }
    }

    private mutating func switchTemplateMode(to mode: Mode) -> Outcome {
        if !templateModes.isEmpty { templateModes[templateModes.count - 1] = mode }
        self.mode = mode
        return .again
    }

    mutating func endTagInTemplate() -> Outcome {
        if tag == .template { endTemplate() }
        return .done
    }
}
