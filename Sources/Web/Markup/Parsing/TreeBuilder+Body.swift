import CLibXML2

/// Tags in the body (HTML Standard, section 13.2.6.4.7).
extension TreeBuilder {
    private var tag: Tag { tokenizer.tag.tag }

    mutating func startTagInBody() -> Outcome {
        switch tag {
        case .html:
            if open.templates == 0, open.count > 0 { addMissingAttributes(to: open[0].node) }
        case .base, .basefont, .bgsound, .link, .meta, .noframes, .script, .style, .template, .title:
            return startTagInHead()
        case .body:
            if open.count > 1, open[1].isHTML(.body), open.templates == 0 {
                isFramesetOK = false
                addMissingAttributes(to: open[1].node)
            }
        case .frameset: replaceBody()
        case .address, .article, .aside, .blockquote, .center, .details, .dialog, .dir, .div, .dl, .fieldset,
            .figcaption, .figure, .footer, .header, .hgroup, .main, .menu, .nav, .ol, .p, .search, .section, .summary,
            .ul:
            closeParagraph()
            insertElement()
        case .h1, .h2, .h3, .h4, .h5, .h6:
            closeParagraph()
            if let current = open.current, current.namespace == .html, current.tag.isHeading { open.pop() }
            insertElement()
        case .pre, .listing:
            closeParagraph()
            insertElement()
            ignoresLineFeed = true
            isFramesetOK = false
        case .form:
            guard form == nil || open.templates > 0 else { return .done }
            closeParagraph()
            insertElement()
            if open.templates == 0 { form = open.current?.node }
        case .li: insertListItem(closing: [.li])
        case .dd, .dt: insertListItem(closing: [.dd, .dt])
        case .plaintext:
            closeParagraph()
            insertElement()
            tokenizer.model = .plaintext
        case .button:
            if open.isInScope(.button) {
                open.generateImpliedEndTags()
                open.pop(through: .button)
            }
            insertInline()
            isFramesetOK = false
        case .a:
            if let index = formatting.lastIndex(of: tokenizer.tag.name), let link = formatting[index].element {
                adopt()
                formatting.remove(link.node)
                if let index = open.index(of: link.node) { open.remove(at: index) }
            }
            insertFormatting()
        case .b, .big, .code, .em, .font, .i, .s, .small, .strike, .strong, .tt, .u: insertFormatting()
        case .nobr:
            reconstructFormatting()
            if open.isInScope(.nobr) { adopt() }
            insertFormatting()
        case .applet, .marquee, .object:
            insertInline()
            formatting.addMarker()
            isFramesetOK = false
        case .table:
            if !isQuirky { closeParagraph() }
            insertElement()
            isFramesetOK = false
            mode = .inTable
        case .area, .br, .embed, .img, .keygen, .wbr: insertBreak()
        case .input:
            leaveSelect()
            reconstructFormatting()
            if !isHiddenInput { isFramesetOK = false }
            insertVoidElement()
        case .param, .source, .track: insertVoidElement()
        case .hr:
            closeParagraph()
            if open.isInScope(.select) { open.generateImpliedEndTags() }
            insertVoidElement()
            isFramesetOK = false
        case .image:
            tokenizer.tag.tag = .img
            tokenizer.tag.name = tokenizer.names.name(of: .img)
            return .again
        case .textarea:
            insertText(ofModel: .rcdata)
            ignoresLineFeed = true
            isFramesetOK = false
        case .xmp:
            closeParagraph()
            reconstructFormatting()
            isFramesetOK = false
            insertText(ofModel: .rawText)
        case .iframe:
            isFramesetOK = false
            insertText(ofModel: .rawText)
        case .noembed: insertText(ofModel: .rawText)
        case .select:
            guard !open.isInScope(.select) else {
                leaveSelect()
                return .done
            }
            insertInline()
            isFramesetOK = false
        case .option: insertOption(exceptions: .optgroup)
        case .optgroup: insertOption(exceptions: nil)
        case .rb, .rtc:
            if open.isInScope(.ruby) { open.generateImpliedEndTags() }
            insertElement()
        case .rp, .rt:
            if open.isInScope(.ruby) { open.generateImpliedEndTags(except: .rtc) }
            insertElement()
        case .math: insertForeign(.mathML)
        case .svg: insertForeign(.svg)
        case .caption, .col, .colgroup, .frame, .head, .tbody, .td, .tfoot, .th, .thead, .tr: break
        default: insertInline()
        }
        return .done
    }

    private mutating func insertInline() {
        reconstructFormatting()
        insertElement()
    }

    private mutating func insertBreak() {
        insertInline()
        open.pop()
        isFramesetOK = false
    }

    private mutating func insertFormatting() {
        insertInline()
        if let current = open.current { budget.spend(formatting.add(current)) }
    }

    private mutating func insertForeign(_ namespace: Namespace) {
        reconstructFormatting()
        insertElement(in: namespace)
        if tokenizer.tag.isSelfClosing { open.pop() }
    }

    /// Closes a `select` that cannot hold the tag.
    private mutating func leaveSelect() {
        if open.isInScope(.select) { open.pop(through: .select) }
    }

    private mutating func insertOption(exceptions kept: Tag?) {
        if open.isInScope(.select) {
            open.generateImpliedEndTags(except: kept)
        } else if open.isCurrent(.option) {
            open.pop()
        }
        insertInline()
    }

    private mutating func insertListItem(closing tags: [Tag]) {
        isFramesetOK = false
        var index = open.count - 1
        while index >= 0 {
            let element = open[index]
            if element.namespace == .html, tags.contains(element.tag) {
                open.generateImpliedEndTags(except: element.tag)
                open.pop(through: element.tag)
                break
            }
            if element.isSpecial, !(element.isHTML(.address) || element.isHTML(.div) || element.isHTML(.p)) { break }
            index -= 1
        }
        closeParagraph()
        insertElement()
    }

    /// Replaces the body by a frameset, unless the body has shown something.
    private mutating func replaceBody() {
        guard open.count > 1, open[1].isHTML(.body), isFramesetOK else { return }
        flushText()
        let body = open[1].node
        open.removeAll(from: 1)
        xmlUnlinkNode(body)
        insertElement()
        mode = .inFrameset
    }

    mutating func closeParagraph() {
        guard open.hasParagraphInButtonScope else { return }
        open.generateImpliedEndTags(except: .p)
        open.pop(through: .p)
    }

    // MARK: End tags

    mutating func endTagInBody() -> Outcome {
        switch tag {
        case .template: endTemplate()
        case .body, .html:
            guard open.isInScope(.body) else { return .done }
            mode = .afterBody
            return tag == .html ? .again : .done
        case .address, .article, .aside, .blockquote, .button, .center, .details, .dialog, .dir, .div, .dl, .fieldset,
            .figcaption, .figure, .footer, .header, .hgroup, .listing, .main, .menu, .nav, .ol, .pre, .search,
            .section, .select, .summary, .ul:
            guard open.isInScope(tag) else { return .done }
            open.generateImpliedEndTags()
            open.pop(through: tag)
        case .form: endForm()
        case .p:
            if !open.hasParagraphInButtonScope { insertElement(.p) }
            closeParagraph()
        case .li:
            guard open.isInListScope(.li) else { return .done }
            open.generateImpliedEndTags(except: .li)
            open.pop(through: .li)
        case .dd, .dt:
            guard open.isInScope(tag) else { return .done }
            open.generateImpliedEndTags(except: tag)
            open.pop(through: tag)
        case .h1, .h2, .h3, .h4, .h5, .h6:
            guard open.hasHeadingInScope else { return .done }
            open.generateImpliedEndTags()
            open.popThroughHeading()
        case .a, .b, .big, .code, .em, .font, .i, .nobr, .s, .small, .strike, .strong, .tt, .u: adopt()
        case .applet, .marquee, .object:
            guard open.isInScope(tag) else { return .done }
            open.generateImpliedEndTags()
            open.pop(through: tag)
            formatting.clearToMarker()
        case .br:
            tokenizer.tag.attributes.removeAll(keepingCapacity: true)
            insertBreak()
        default: endOther()
        }
        return .done
    }

    private mutating func endForm() {
        if open.templates > 0 {
            guard open.isInScope(.form) else { return }
            open.generateImpliedEndTags()
            open.pop(through: .form)
            return
        }
        let ended = form
        form = nil
        guard let ended, open.isInScope(ended) else { return }
        open.generateImpliedEndTags()
        if let index = open.index(of: ended) { open.remove(at: index) }
    }

    /// Processes "any other end tag".
    mutating func endOther() {
        let name = tokenizer.tag.name
        var index = open.count - 1
        budget.spend(open.count / 16)
        while index >= 0 {
            let element = open[index]
            if element.namespace == .html, element.name == name {
                if element.tag.hasImpliedEnd {
                    open.generateImpliedEndTags(except: element.tag)
                } else {
                    open.generateImpliedEndTags()
                }
                open.removeAll(from: index)
                return
            }
            if element.isSpecial { return }
            index -= 1
        }
    }

    // MARK: After the body, and framesets (sections 13.2.6.4.19 to 13.2.6.4.23)

    mutating func startTagAfterBody() -> Outcome {
        guard tag != .html else { return startTagInBody() }
        mode = .inBody
        return .again
    }

    mutating func endTagAfterBody() -> Outcome {
        guard tag != .html else {
            mode = .afterAfterBody
            return .done
        }
        return endTagAfterAfterBody()
    }

    mutating func endTagAfterAfterBody() -> Outcome {
        mode = .inBody
        return .again
    }

    mutating func startTagInFrameset() -> Outcome {
        switch tag {
        case .html: return startTagInBody()
        case .frameset: insertElement()
        case .frame: insertVoidElement()
        case .noframes: return startTagInHead()
        default: break
        }
        return .done
    }

    mutating func endTagInFrameset() -> Outcome {
        guard tag == .frameset, open.count > 1 else { return .done }
        open.pop()
        if !open.isCurrent(.frameset) { mode = .afterFrameset }
        return .done
    }

    mutating func startTagAfterFrameset() -> Outcome {
        switch tag {
        case .html: startTagInBody()
        case .noframes: startTagInHead()
        default: .done
        }
    }

    mutating func endTagAfterFrameset() -> Outcome {
        if tag == .html { mode = .afterAfterFrameset }
        return .done
    }
}
