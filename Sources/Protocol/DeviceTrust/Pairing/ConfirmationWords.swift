/// The words that both sides show at the end of a pairing, one for each byte, for a person to compare.
///
/// The list is fixed, alphabetical, and part of the protocol. Any two words differ by more than one letter.
package struct ConfirmationWords: Sendable, Hashable, CustomStringConvertible {
    /// The number of words on the screens: 32 bits.
    package static let count = 4

    package let words: [String]

    init(_ bytes: some Sequence<UInt8>) {
        words = bytes.map { Self.list[Int($0)] }
    }

    package var description: String { words.joined(separator: " ") }

    /// 256 words; a byte is an index into them.
    package static let list: [String] = """
        acorn adobe agent alarm album amber anchor angle apple april apron arena armor arrow atlas attic autumn
        award bacon badge bagel bamboo banjo barrel basket beach beard beetle berry bishop blanket blossom boat
        bonus border bottle boulder bracket branch bread brick bridge bronze brush bubble bucket buffalo bundle
        butter cabin cactus camel candle canyon carpet castle cedar cello chain chalk cherry chess circle circus
        citrus clover coast cobra coconut coffee comet copper coral cotton cradle crane crayon cricket crown
        crystal cushion dagger dance desert diamond dinner doctor dolphin dragon drum eagle easel echo elbow
        elephant emerald engine fabric falcon farmer feather fence fiddle finger flame flute forest fossil fox
        galaxy garden garlic gecko giant giraffe glacier globe goblet gold gorilla grape gravel guitar hammer
        harbor harvest hazel helmet hermit hockey honey horse hotel hunter iceberg igloo indigo insect island
        ivory jacket jaguar jasmine jelly jewel jigsaw jungle kangaroo kennel kettle kitchen kitten koala ladder
        lagoon lantern laptop lemon leopard letter lily lizard lobster lotus magnet mango maple marble meadow
        melon mirror monkey moon mosaic mountain muffin museum napkin nectar needle nickel noodle nutmeg oasis
        ocean octopus olive onion opera orange orbit orchid otter oxygen oyster palace panda paper parrot peanut
        pebble pelican pencil pepper piano pigeon pillow pirate planet plum poem pony poppy potato prairie
        pumpkin puzzle quartz quilt rabbit radar raven ribbon river robin rocket saddle salmon sandal saturn
        scarf shadow silver spider sponge squirrel sunset teapot temple tiger tomato trumpet tulip tunnel turtle
        umbrella valley velvet violin walnut whistle window winter yogurt zebra zipper
        """.split(whereSeparator: \.isWhitespace).map(String.init)
}
