/// The elements that the parser treats specially, by their names in lower case. All others are `other`.
package enum Tag: UInt8, CaseIterable {
    case other
    case a, address, applet, area, article, aside, audio, b, base, basefont, bgsound, big, blockquote, body, br, button
    case canvas, caption, center, code, col, colgroup, datalist, dd, desc, details, dialog, dir, div, dl, dt, em, embed
    case fieldset, figcaption, figure, font, footer, foreignobject, form, frame, frameset
    case h1, h2, h3, h4, h5, h6, head, header, hgroup, hr, html, i, iframe, image, img, input, keygen
    case label, legend, li, link, listing, main, malignmark, marquee, math, menu, meta, meter, mglyph, mi, mn, mo, ms
    case mtext, nav, nobr, noembed, noframes, noscript, object, ol, optgroup, option, output
    case p, param, plaintext, pre, progress
    case rb, rp, rt, rtc, ruby, s, script, search, section, select, small, source, span, strike, strong, style, sub
    case summary, sup, svg, table, tbody, td, template, textarea, tfoot, th, thead, title, tr, track, tt
    case u, ul, `var`, video, wbr, xmp
    case annotationXML

    /// In the order of the cases, without `other`.
    private static let spellings = """
        a address applet area article aside audio b base basefont bgsound big blockquote body br button canvas caption center
        code col colgroup datalist dd desc details dialog dir div dl dt em embed fieldset figcaption figure font
        footer foreignobject form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe image img input
        keygen label legend li link listing main malignmark marquee math menu meta meter mglyph mi mn mo ms mtext nav
        nobr noembed noframes noscript object ol optgroup option output p param plaintext pre progress rb rp rt rtc
        ruby s script search section select small source span strike strong style sub summary sup svg table tbody td
        template textarea tfoot th thead title tr track tt u ul var video wbr xmp annotation-xml
        """

    /// The names by raw value; the name of `other` is empty.
    static let names = [""] + spellings.split { $0 == " " || $0 == "\n" }.map(String.init)
}

/// The namespace of an element (HTML Standard, sections 4.8.15 and 4.8.16 for the embedded ones).
enum Namespace: UInt8 {
    case html, svg, mathML
}

extension Tag {
    package var isHeading: Bool {
        switch self {
        case .h1, .h2, .h3, .h4, .h5, .h6: true
        default: false
        }
    }

    /// True if its end tag may be implied (HTML Standard, section 13.2.6.3).
    var hasImpliedEnd: Bool {
        switch self {
        case .dd, .dt, .li, .optgroup, .option, .p, .rb, .rp, .rt, .rtc: true
        default: false
        }
    }

    var hasImpliedEndThoroughly: Bool {
        switch self {
        case .caption, .colgroup, .tbody, .td, .tfoot, .th, .thead, .tr: true
        default: hasImpliedEnd
        }
    }

    /// True if it is a part of a table from which text and stray elements are foster-parented.
    var isTableStructure: Bool {
        switch self {
        case .table, .tbody, .tfoot, .thead, .tr: true
        default: false
        }
    }

    /// True if a form submits it, so that the parser associates it with a form.
    var isControl: Bool {
        switch self {
        case .button, .input, .select, .textarea: true
        default: false
        }
    }

    /// True if an HTML element is in the special category (section 13.2.4.2).
    var isSpecialInHTML: Bool {
        switch self {
        case .address, .applet, .area, .article, .aside, .base, .basefont, .bgsound, .blockquote, .body, .br, .button,
            .caption, .center, .col, .colgroup, .dd, .details, .dir, .div, .dl, .dt, .embed, .fieldset, .figcaption,
            .figure, .footer, .form, .frame, .frameset, .h1, .h2, .h3, .h4, .h5, .h6, .head, .header, .hgroup, .hr,
            .html, .iframe, .img, .input, .keygen, .li, .link, .listing, .main, .marquee, .menu, .meta, .nav, .noembed,
            .noframes, .noscript, .object, .ol, .p, .param, .plaintext, .pre, .script, .search, .section, .select,
            .source, .style, .summary, .table, .tbody, .td, .template, .textarea, .tfoot, .th, .thead, .title, .tr,
            .track, .ul, .wbr, .xmp:
            true
        default: false
        }
    }

    /// True if an HTML element ends a scope (section 13.2.4.2, "has a particular element in scope").
    var bordersScopeInHTML: Bool {
        switch self {
        case .applet, .caption, .html, .table, .td, .th, .marquee, .object, .select, .template: true
        default: false
        }
    }

    /// Returns whether it is a MathML or SVG element that contains HTML or text: those are special and end a scope.
    func bordersForeign(in namespace: Namespace) -> Bool {
        switch (namespace, self) {
        case (.mathML, .mi), (.mathML, .mo), (.mathML, .mn), (.mathML, .ms), (.mathML, .mtext),
            (.mathML, .annotationXML), (.svg, .foreignobject), (.svg, .desc), (.svg, .title):
            true
        default: false
        }
    }

    /// True if its start tag ends the SVG image or the formula around it (section 13.2.6.5). `font` does so only with
    /// certain attributes.
    var breaksOutOfForeign: Bool {
        switch self {
        case .b, .big, .blockquote, .body, .br, .center, .code, .dd, .div, .dl, .dt, .em, .embed, .h1, .h2, .h3, .h4,
            .h5, .h6, .head, .hr, .i, .img, .li, .listing, .menu, .meta, .nobr, .ol, .p, .pre, .ruby, .s, .small,
            .span, .strong, .strike, .sub, .sup, .table, .tt, .u, .ul, .var:
            true
        default: false
        }
    }
}
