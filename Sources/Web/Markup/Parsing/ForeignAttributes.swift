/// The mixed-case attribute names of SVG and MathML, by their names in lower case (HTML Standard, section 13.2.6.1,
/// "adjust SVG attributes" and "adjust MathML attributes").
enum ForeignAttributes {
    static func adjusted(_ name: String, in namespace: Namespace) -> String? {
        switch namespace {
        case .html: nil
        case .mathML: name == "definitionurl" ? "definitionURL" : nil
        case .svg: ofSVG[name]
        }
    }

    private static let ofSVG = Dictionary(uniqueKeysWithValues: namesOfSVG.map { ($0.lowercased(), $0) })
    private static let namesOfSVG = [
        "attributeName", "attributeType", "baseFrequency", "baseProfile", "calcMode", "clipPathUnits",
        "diffuseConstant", "edgeMode", "filterUnits", "glyphRef", "gradientTransform", "gradientUnits",
        "kernelMatrix", "kernelUnitLength", "keyPoints", "keySplines", "keyTimes", "lengthAdjust",
        "limitingConeAngle", "markerHeight", "markerUnits", "markerWidth", "maskContentUnits", "maskUnits",
        "numOctaves", "pathLength", "patternContentUnits", "patternTransform", "patternUnits", "pointsAtX",
        "pointsAtY", "pointsAtZ", "preserveAlpha", "preserveAspectRatio", "primitiveUnits", "refX", "refY",
        "repeatCount", "repeatDur", "requiredExtensions", "requiredFeatures", "specularConstant", "specularExponent",
        "spreadMethod", "startOffset", "stdDeviation", "stitchTiles", "surfaceScale", "systemLanguage", "tableValues",
        "targetX", "targetY", "textLength", "viewBox", "viewTarget", "xChannelSelector", "yChannelSelector",
        "zoomAndPan",
    ]
}
