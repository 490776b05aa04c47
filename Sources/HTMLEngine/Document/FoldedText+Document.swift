import TextMatching

extension FoldedText {
    /// Folds the whole page's text, as a person reads it.
    package init(of document: Document) {
        // Few pages hold less text than this.
        var folding = SpaceFolding(room: 2048, lowersCase: true)
        document.root?.read(into: &folding)
        self.init(folding)
    }
}
