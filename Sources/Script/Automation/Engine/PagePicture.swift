/// A picture of a page in which nothing private can be seen.
public struct PagePicture: Sendable, Hashable {
    /// A part of the picture, as fractions of its width and height.
    public struct Box: Sendable, Hashable {
        public var x: Double
        public var y: Double
        public var width: Double
        public var height: Double

        public init(x: Double, y: Double, width: Double, height: Double) {
            self.x = x
            self.y = y
            self.width = width
            self.height = height
        }
    }

    public var bytes: [UInt8]
    /// Such as `image/webp`.
    public var mediaType: String
    /// The places of the elements that the locator found, as far as they are in the picture.
    public var matches: [Box]

    public init(bytes: [UInt8], mediaType: String, matches: [Box] = []) {
        self.bytes = bytes
        self.mediaType = mediaType
        self.matches = matches
    }
}
