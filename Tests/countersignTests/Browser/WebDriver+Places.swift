import Encodings

extension WebDriver {
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
