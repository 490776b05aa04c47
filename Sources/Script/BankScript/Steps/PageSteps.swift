import Messages
import Selectors

/// Open a path on the first origin, or an absolute URL on one of the origins.
public struct Open: ScriptText {
    public let steps: [Step]

    /// - Parameter expected: the statuses of 400 or more that do not end the run.
    public init(
        _ reference: Template, expecting expected: ClosedRange<Int>? = nil, file: String = #fileID, line: Int = #line
    ) {
        steps = [Step(.open(reference), expecting: expected, at: Mark(file: file, line: line))]
    }
}

/// Follow the link with this name.
public struct Follow: ScriptText {
    public let steps: [Step]

    public init(
        _ name: String, expecting expected: ClosedRange<Int>? = nil, file: String = #fileID, line: Int = #line
    ) {
        self.init(.link(.name(name)), expecting: expected, file: file, line: line)
    }

    public init(
        _ link: Locator, expecting expected: ClosedRange<Int>? = nil, file: String = #fileID, line: Int = #line
    ) {
        steps = [Step(.follow(link), expecting: expected, at: Mark(file: file, line: line))]
    }
}

/// Fill the field with this label.
public struct Fill: ScriptText {
    public let steps: [Step]

    public init(_ label: String, with value: Value, file: String = #fileID, line: Int = #line) {
        self.init(.field(.name(label)), with: value, file: file, line: line)
    }

    public init(_ field: Locator, with value: Value, file: String = #fileID, line: Int = #line) {
        steps = [Step(.fill(field, value), at: Mark(file: file, line: line))]
    }
}

/// Choose an option by its text, in the list with this label.
public struct Choose: ScriptText {
    public let steps: [Step]

    public init(_ label: String, _ option: Value, file: String = #fileID, line: Int = #line) {
        self.init(.field(.name(label)), option, file: file, line: line)
    }

    public init(_ list: Locator, _ option: Value, file: String = #fileID, line: Int = #line) {
        steps = [Step(.choose(list, option), at: Mark(file: file, line: line))]
    }
}

/// Check or uncheck the box with this label.
public struct Check: ScriptText {
    public let steps: [Step]

    public init(_ label: String, _ isOn: Bool = true, file: String = #fileID, line: Int = #line) {
        self.init(.field(.name(label)), isOn, file: file, line: line)
    }

    public init(_ box: Locator, _ isOn: Bool = true, file: String = #fileID, line: Int = #line) {
        steps = [Step(.check(box, isOn), at: Mark(file: file, line: line))]
    }
}

/// Press the button with this name.
public struct Press: ScriptText {
    public let steps: [Step]

    public init(
        _ name: String, expecting expected: ClosedRange<Int>? = nil, file: String = #fileID, line: Int = #line
    ) {
        self.init(.button(.name(name)), expecting: expected, file: file, line: line)
    }

    public init(
        _ button: Locator, expecting expected: ClosedRange<Int>? = nil, file: String = #fileID, line: Int = #line
    ) {
        steps = [Step(.press(button), expecting: expected, at: Mark(file: file, line: line))]
    }
}

/// Press one key of a pad for each character of a credential; the locator names the character as `{{ digit }}`.
public struct PressEach: ScriptText {
    public let steps: [Step]

    public init(_ name: String, on key: Locator, file: String = #fileID, line: Int = #line) {
        steps = [Step(.pressEach(key, ofCredential: name), at: Mark(file: file, line: line))]
    }
}

/// Submit a form that has no button, as the page's own script would.
public struct Submit: ScriptText {
    public let steps: [Step]

    /// - Parameters:
    ///   - fields: values to set before, hidden fields included.
    ///   - expected: the statuses of 400 or more that do not end the run.
    public init(
        form: Locator, with fields: [FormField] = [], expecting expected: ClosedRange<Int>? = nil,
        file: String = #fileID, line: Int = #line
    ) {
        let submit = SubmitStep(form: form, fields: fields)
        steps = [Step(.submit(submit), expecting: expected, at: Mark(file: file, line: line))]
    }
}

/// Continue inside a frame until a step opens another page.
public struct Enter: ScriptText {
    public let steps: [Step]

    public init(frame: Locator, file: String = #fileID, line: Int = #line) {
        steps = [Step(.enter(frame), at: Mark(file: file, line: line))]
    }
}

/// Turn pages until the row is found.
public struct Search: ScriptText {
    public let steps: [Step]

    /// - Parameter limit: the maximum number of pages to look at, including the first.
    public init(
        rows text: String, next: String, last: Condition? = nil, atMost limit: Int, file: String = #fileID,
        line: Int = #line
    ) {
        self.init(
            for: .row(.name(text)), next: .control(.name(next)), last: last, atMost: limit, file: file, line: line)
    }

    /// - Parameter last: holds on the last page, where the absence of the link does not tell.
    public init(
        for target: Locator, next: Locator, last: Condition? = nil, atMost limit: Int, file: String = #fileID,
        line: Int = #line
    ) {
        let search = SearchStep(target: target, next: next, last: last, limit: limit)
        steps = [Step(.search(search), at: Mark(file: file, line: line))]
    }

    /// Looks for one item of a JSON answer, and asks for the next answer until it is found. Captures that follow look
    /// inside the item.
    ///
    /// - Parameters:
    ///   - path: a JSONPath that finds the item.
    ///   - next: the request for the next answer; it names the cursor as `{{ cursor }}`.
    ///   - cursor: the cursor's JSONPath in the answer.
    public init(
        json path: Template, next: RequestStep, cursor: String, last: Condition? = nil, atMost limit: Int,
        file: String = #fileID, line: Int = #line
    ) {
        let search = SearchStep(pages: .json(path: path, next: next, cursor: cursor), last: last, limit: limit)
        steps = [Step(.search(search), at: Mark(file: file, line: line))]
    }
}

/// Download a document with the link or button of this name; after ``Search``, the one inside the row it found.
public struct Download: ScriptText {
    public let steps: [Step]

    /// - Parameter kind: what the file is; a PDF unless told otherwise.
    public init(
        _ name: String, as kind: DocumentKind = .pdf, atMost limit: Int = DownloadStep.defaultLimit,
        file: String = #fileID, line: Int = #line
    ) {
        self.init(from: .control(.control(.name(name))), as: .document(kind), atMost: limit, file: file, line: line)
    }

    /// Downloads a ZIP archive that holds one document of each kind, or those of several months.
    ///
    /// - Parameter fileName: what the names of a month's files contain, such as `{{ year }}-{{ month | pad }}`; nil for an
    ///   archive of one month.
    public init(
        _ name: String, asZIPOf kinds: [DocumentKind], named fileName: Template? = nil,
        atMost limit: Int = DownloadStep.defaultLimit, file: String = #fileID, line: Int = #line
    ) {
        self.init(
            from: .control(.control(.name(name))), as: .zip(of: Set(kinds).sorted(), named: fileName), atMost: limit,
            file: file, line: line)
    }

    /// - Parameter limit: the maximum size in bytes.
    public init(
        from source: DownloadStep.Source, as content: DownloadStep.Content = .document(.pdf),
        pages: AnswerPages? = nil, atMost limit: Int = DownloadStep.defaultLimit, file: String = #fileID,
        line: Int = #line
    ) {
        steps = [
            Step(
                .download(DownloadStep(source: source, content: content, pages: pages, limit: limit)),
                at: Mark(file: file, line: line))
        ]
    }
}
