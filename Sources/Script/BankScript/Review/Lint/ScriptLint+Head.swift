// Checks of credentials that accompany a request outside its body: they have to stay with one origin.

extension ScriptLint {
    mutating func checkHead(of request: RequestStep, at mark: Mark?) {
        guard let (name, place) = request.headCredentials.first else { return }
        if script.engine != .html {
            report(
                "secret-place", .error,
                "the engine \(script.engine.rawValue) sends the \(name) \(place.rawValue), where a page's scripts may read it",
                hint: "leave out “engine”: an interface with tokens needs no browser", at: mark, about: "$\(name)")
        }
        let destinations = script.destinations(of: request.reference.source)
        guard destinations.count > 1 else { return }
        report(
            "secret-place", .error,
            "the \(name) leaves \(place.rawValue), and the address may lead to each of \(destinations.count) origins",
            hint: "begin the address with a path, or with the origin that the \(name) is for", at: mark,
            about: request.reference.source)
    }
}
