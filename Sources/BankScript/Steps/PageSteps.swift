import Selectors

/// Go to a path on the script's home, or an absolute URL on one of its origins.
public struct Open: ScriptText {
    public let steps: [Step]

    public init(_ reference: Template, file: String = #fileID, line: Int = #line) {
        steps = [Step(.open(reference), at: Mark(file: file, line: line))]
    }
}

/// Follow the link of that name.
public struct Follow: ScriptText {
    public let steps: [Step]

    public init(_ name: String, file: String = #fileID, line: Int = #line) {
        self.init(.link(.name(name)), file: file, line: line)
    }

    public init(_ link: Locator, file: String = #fileID, line: Int = #line) {
        steps = [Step(.follow(link), at: Mark(file: file, line: line))]
    }
}

/// Fill the field with that label.
public struct Fill: ScriptText {
    public let steps: [Step]

    public init(_ label: String, with value: Value, file: String = #fileID, line: Int = #line) {
        self.init(.field(.name(label)), with: value, file: file, line: line)
    }

    public init(_ field: Locator, with value: Value, file: String = #fileID, line: Int = #line) {
        steps = [Step(.fill(field, value), at: Mark(file: file, line: line))]
    }
}

/// Choose an option, by what it says, in the list with that label.
public struct Choose: ScriptText {
    public let steps: [Step]

    public init(_ label: String, _ option: Template, file: String = #fileID, line: Int = #line) {
        self.init(.field(.name(label)), option, file: file, line: line)
    }

    public init(_ list: Locator, _ option: Template, file: String = #fileID, line: Int = #line) {
        steps = [Step(.choose(list, option), at: Mark(file: file, line: line))]
    }
}

/// Check, or uncheck, the box with that label.
public struct Check: ScriptText {
    public let steps: [Step]

    public init(_ label: String, _ isOn: Bool = true, file: String = #fileID, line: Int = #line) {
        self.init(.field(.name(label)), isOn, file: file, line: line)
    }

    public init(_ box: Locator, _ isOn: Bool = true, file: String = #fileID, line: Int = #line) {
        steps = [Step(.check(box, isOn), at: Mark(file: file, line: line))]
    }
}

/// Press the button of that name.
public struct Press: ScriptText {
    public let steps: [Step]

    public init(_ name: String, file: String = #fileID, line: Int = #line) {
        self.init(.button(.name(name)), file: file, line: line)
    }

    public init(_ button: Locator, file: String = #fileID, line: Int = #line) {
        steps = [Step(.press(button), at: Mark(file: file, line: line))]
    }
}

/// Go inside a frame; what follows happens there, until another page is opened.
public struct Enter: ScriptText {
    public let steps: [Step]

    public init(frame: Locator, file: String = #fileID, line: Int = #line) {
        steps = [Step(.enter(frame), at: Mark(file: file, line: line))]
    }
}

/// Turn pages until the row is found.
public struct Search: ScriptText {
    public let steps: [Step]

    /// - Parameter limit: the most pages that are looked at, the first included.
    public init(
        rows text: String, next: String, atMost limit: Int, file: String = #fileID, line: Int = #line
    ) {
        self.init(
            for: .row(.name(text)), next: .control(.name(next)), atMost: limit, file: file, line: line)
    }

    public init(
        for target: Locator, next: Locator, atMost limit: Int, file: String = #fileID, line: Int = #line
    ) {
        let search = SearchStep(target: target, next: next, limit: limit)
        steps = [Step(.search(search), at: Mark(file: file, line: line))]
    }
}

/// Fetch the statement by the link or button of that name; inside the row that was found, if one was searched for.
public struct Download: ScriptText {
    public let steps: [Step]

    public init(
        _ name: String, atMost limit: Int = DownloadStep.defaultLimit, file: String = #fileID, line: Int = #line
    ) {
        self.init(from: .control(.control(.name(name))), atMost: limit, file: file, line: line)
    }

    /// - Parameter limit: the most bytes that are accepted.
    public init(
        from source: DownloadStep.Source, atMost limit: Int = DownloadStep.defaultLimit, file: String = #fileID,
        line: Int = #line
    ) {
        steps = [Step(.download(DownloadStep(source: source, limit: limit)), at: Mark(file: file, line: line))]
    }
}
