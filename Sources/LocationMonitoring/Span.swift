/// Some distance between the least and the most it can be, metres.
struct Span: Sendable, Hashable {
    let least: Double
    let most: Double

    init(_ least: Double, _ most: Double) { (self.least, self.most) = (least, most) }

    /// Known exactly.
    init(_ distance: Double) { self.init(distance, distance) }

    /// Nothing is known.
    static let any = Span(-.infinity, .infinity)

    /// Without its sign.
    var magnitude: Span {
        if least >= 0 { return self }
        return most <= 0 ? Span(-most, -least) : Span(0, max(-least, most))
    }
}
