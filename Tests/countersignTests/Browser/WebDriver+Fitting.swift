import Encodings

// Words of a page that are cut off, and names in the bar at its top that do not stand in one row.

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

    /// Returns the names in the bar at the top that stand in another row than the first, on two lines, or beyond the bar's end.
    func misplacedPlaces() async throws -> [String] {
        let script = """
            const bar = document.querySelector('nav ul');
            const places = bar ? [...bar.querySelectorAll('a')] : [];
            return places.filter((place) => {
                const words = document.createRange();
                words.selectNodeContents(place);
                const box = place.getBoundingClientRect();
                return words.getClientRects().length > 1 || box.top !== places[0].getBoundingClientRect().top
                    || box.right > bar.getBoundingClientRect().right + 1;
            }).map((place) => place.textContent);
            """
        return try await evaluate(script).arrayValue?.compactMap(\.stringValue) ?? []
    }
}
