import LocationModel

/// The books of one watch: which fixes it is owed, kept without a look at the daemon's.
struct ExpectedWatch {
    struct Request {
        var distance, interval, accuracy: Double?
        var maximum: Int?
        var location = true
        var heading = false
        var satellites = false
        var passive = false
        var everySource = false
    }

    let request: Request
    private(set) var view: ExpectedPermissions.View
    /// A fix that was due at once and has not come.
    private(set) var owed: Int64?
    /// The newest that waits for the client to read on.
    private(set) var held: Int64?
    /// Fixes it will be told to have lost.
    private(set) var lost = 0
    /// False once fixes were decided about that cannot be foreseen.
    private(set) var isExact = true
    private(set) var delivered = 0
    var isBehind = false
    private var anchor: Location?

    init(_ request: Request, view: ExpectedPermissions.View) {
        self.request = request
        self.view = view
    }

    var makesDemand: Bool {
        guard view != .nothing, !request.passive else { return false }
        return request.location || view == .full && (request.heading || request.satellites)
    }

    /// Whether it is to know how the sources are.
    var seesSources: Bool {
        switch view {
        case .full, .paced: true
        case .nothing, .reduced: makesDemand
        }
    }

    mutating func see(_ view: ExpectedPermissions.View) {
        guard view != self.view else { return }
        self.view = view
        held = nil
        anchor = nil
    }

    /// The daemon said that there is no fix any more.
    mutating func forgetAnchor() { anchor = nil }

    /// The first reply has this location.
    mutating func open(with fix: Location) {
        anchor = fix
        delivered += 1
    }

    func admits(_ fix: Location) -> Bool {
        if let accuracy = request.accuracy {
            guard let known = fix.horizontalAccuracy, known <= accuracy else { return false }
        }
        guard let anchor else { return true }
        if let interval = request.interval, Self.elapsed(anchor, fix) + 0.0005 < interval { return false }
        if let distance = request.distance, anchor.coordinate.distance(to: fix.coordinate) < distance { return false }
        return true
    }

    /// Between two fixes, by the receiver's clock where it agrees with ours to half a second, else by ours.
    private static func elapsed(_ one: Location, _ other: Location) -> Double {
        let ours = other.monotonicTime.seconds(since: one.monotonicTime)
        guard let begin = one.timestamp, let end = other.timestamp else { return ours }
        let theirs = end.seconds(since: begin)
        return abs(theirs - ours) <= 0.5 ? max(ours, theirs) : ours
    }

    /// A fix was numbered.
    mutating func see(_ fix: Location, isFollowed: Bool) {
        guard request.location, view != .nothing else { return }
        guard view == .full else { return isExact = isExact && !isBehind }
        guard isFollowed || request.everySource, admits(fix) else { return }
        anchor = fix
        guard isBehind else { return owed = fix.sequence }
        if held != nil { lost += 1 }
        held = fix.sequence
    }

    /// Fixes were lost before the daemon saw them.
    mutating func overflow(_ count: Int) {
        if request.location, view == .full { lost += count }
    }

    /// The service was switched off: what was held is never sent.
    mutating func forgetHeld() {
        if held != nil { lost += 1 }
        held = nil
    }

    /// A reply after the first one came.
    /// - Returns: what is wrong with it.
    mutating func take(_ message: Message) -> String? {
        lost -= message.dropped
        if !isExact { lost = max(0, lost) }
        if lost < 0 { return "it is told of \(message.dropped) lost fixes, \(-lost) too many" }
        guard let sequence = message.location?.sequence else { return nil }
        delivered += 1
        let isLast = request.maximum.map { delivered >= $0 } ?? false
        if isLast == message.continues {
            return "reply \(delivered) of at most \(request.maximum ?? 0) is wrongly final, or not"
        }
        guard view == .full, isExact else {
            (lost, isExact) = (0, true)
            if owed == sequence { owed = nil }
            if held == sequence { held = nil }
            return nil
        }
        if lost != 0 { return "it lost \(lost) fixes before \(sequence) and is not told" }
        let due = owed ?? held
        if owed != nil { owed = nil } else { held = nil }
        return sequence == due ? nil : "it gets \(sequence) when \(due.map(String.init) ?? "nothing") is due"
    }
}
