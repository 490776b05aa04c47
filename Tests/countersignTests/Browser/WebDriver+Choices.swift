import Encodings

extension WebDriver {
    /// Returns the words of menus that are wider than the menu has room for: a browser cuts them.
    func cutChoices() async throws -> [String] {
        // Beside its words, a menu has room for an arrow. Of a long list such as the time zones, one choice is shown.
        let script = """
            const pen = document.createElement('canvas').getContext('2d');
            return [...document.querySelectorAll('select')].filter((menu) => menu.offsetParent).flatMap((menu) => {
                const style = getComputedStyle(menu);
                pen.font = style.font;
                const room = menu.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - 20;
                const choices = menu.options.length > 200 ? menu.selectedOptions : menu.options;
                return [...choices].map((choice) => choice.text).filter((text) => pen.measureText(text).width > room);
            });
            """
        return try await evaluate(script).arrayValue?.compactMap(\.stringValue) ?? []
    }
}
