extension Duration {
    /// Returns a duration of whole minutes.
    public static func minutes(_ count: Int) -> Duration { .seconds(60 * count) }
}
