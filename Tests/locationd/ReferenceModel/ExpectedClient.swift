/// What a client may know of fixes.
package enum ExpectedView: Hashable {
    case nothing
    case full
    /// All of a principal's clients together get a location at most every so many seconds.
    case paced(principal: String, interval: Double)
    case reduced(interval: Double)
}

/// One client: what it may know, what it subscribes to, and what it was sent last.
package final class ExpectedClient {
    package let number: Int
    package var view: ExpectedView {
        didSet { watch?.changeView(to: view) }
    }
    /// The wire's word for its authorization, from a driver that knows it.
    package var authorization: String?
    package var watch: ExpectedWatch?
    /// It broke the protocol, or left: what it is sent is not checked any more, but for what it may not know.
    package var isExempt = false
    /// Its connection is closed.
    package var isGone = false
    /// True while it has not read all it was sent.
    package var isBehind = false {
        didSet {
            watch?.isBehind = isBehind
            if isBehind { isCatchingUp = true }
        }
    }
    /// What it is sent may be a status of an earlier moment, because it was behind.
    package internal(set) var isCatchingUp = false
    package internal(set) var lastSequence: Int64 = 0
    package internal(set) var lastStatus: ExpectedStatus?

    package init(number: Int, view: ExpectedView) {
        self.number = number
        self.view = view
    }
}

/// A call for one location that waits for its answer.
package struct ExpectedRequest {
    /// Seconds.
    package var maximumAge: Double
    package var accuracy: Double?
    /// Seconds.
    package var timeout: Double
    package var isPassive: Bool
    /// The newest fix when it was asked.
    package var newest: Int64

    package init(maximumAge: Double, accuracy: Double?, timeout: Double, isPassive: Bool, newest: Int64) {
        self.maximumAge = maximumAge
        self.accuracy = accuracy
        self.timeout = timeout
        self.isPassive = isPassive
        self.newest = newest
    }
}
