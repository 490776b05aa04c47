/// How an element's text is read: by its name, unless its attributes hide it.
enum Reading: UInt8 {
    case inline
    /// It has a line, or a cell, of its own: the texts on either side are apart.
    case block
    /// A person sees nothing of it.
    case unseen

    init(of tag: Tag) {
        switch tag {
        case .script, .style, .template, .noscript, .head, .datalist, .iframe, .object, .audio, .video, .canvas:
            self = .unseen
        case .address, .article, .aside, .blockquote, .br, .caption, .center, .dd, .details, .dialog, .dir, .div, .dl,
            .dt, .fieldset, .figcaption, .figure, .footer, .form, .h1, .h2, .h3, .h4, .h5, .h6, .header, .hr, .legend,
            .li, .main, .menu, .nav, .ol, .optgroup, .option, .p, .pre, .section, .select, .summary, .table, .tbody,
            .td, .tfoot, .th, .thead, .tr, .ul:
            self = .block
        default: self = .inline
        }
    }
}
