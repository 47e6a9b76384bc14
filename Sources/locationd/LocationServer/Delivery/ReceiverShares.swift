@_spi(Programs) import LocationInterface

/// The receivers' time by principal, of clients that have left.
struct ReceiverShares {
    /// Beyond so many principals, those with the least time are added up.
    static let limit = 256
    static let others = "others"

    private(set) var seconds: [String: Double] = [:]

    mutating func add(_ seconds: Double, to principal: String) {
        guard seconds > 0 else { return }
        self.seconds[principal, default: 0] += seconds
        guard self.seconds.count > Self.limit + 1,
            let least = self.seconds.filter({ $0.key != Self.others }).min(by: { $0.value < $1.value })
        else { return }
        self.seconds[least.key] = nil
        self.seconds[Self.others, default: 0] += least.value
    }

    /// The largest first.
    var reports: [ReceiverShare] {
        seconds.map { ReceiverShare(principal: $0.key, receiverTime: $0.value) }
            .sorted { ($1.receiverTime, $0.principal) < ($0.receiverTime, $1.principal) }
    }
}
