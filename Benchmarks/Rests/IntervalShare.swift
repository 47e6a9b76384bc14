import LocationHub
@_spi(Programs) import LocationModel

/// How long the receiver runs for one watch with an interval, over a day in virtual time, second by second.
struct IntervalShare: ~Copyable {
    /// Seconds of a day.
    static let day = 86_400
    /// Seconds after which gpsd closes a receiver that no client of it watches any more.
    static let release = 60

    /// Seconds in which the daemon was connected to gpsd.
    private(set) var connected = 0
    /// Seconds in which gpsd had the receiver open.
    private(set) var powered = 0
    private(set) var locations: [Int] = []

    private var hub: Hub
    private var second = 0
    private var began: Int?
    /// When gpsd closed the receiver; `nil` while it is open.
    private var closed: Int? = 0
    private var released: Int?
    /// When the receiver has its first fix.
    private var firstFix = 0

    /// - Parameter interval: seconds; `nil` for a watch of every fix.
    init(interval: Double?) {
        hub = Hub(
            settings: HubSettings(), sources: ["model"], isEnabled: true, sequenceStart: 0, lastLocation: nil,
            at: .at(0))
        var request = WatchRequest()
        request.interval = interval
        perform(hub.addWatch(request, permission: Permission(.authorizedAlways), at: .at(0)) { _ in })
        for second in 0..<Self.day { live(second) }
    }

    /// The longest time between two locations, without the time until the first.
    var longestGap: Int { zip(locations, locations.dropFirst()).map { $1 - $0 }.max() ?? 0 }

    private mutating func live(_ second: Int) {
        self.second = second
        perform(hub.advance(to: .at(second)))
        if let released, second - released >= Self.release {
            closed = second
            self.released = nil
        }
        if closed == nil { powered += 1 }
        guard began != nil else { return }
        connected += 1
        guard second >= firstFix, let coordinate = Coordinate(latitude: 52, longitude: 13) else { return }
        var fix = Location(
            coordinate: coordinate, monotonicTime: .at(second), source: SourceInformation(name: "model"))
        // It gets better in the first seconds.
        fix.horizontalAccuracy = second < firstFix + 3 ? 40 : 5
        perform(hub.applyEvent(.fix(fix), from: 0, at: .at(second)))
    }

    /// Seconds to the first fix after so many seconds without power: ephemerides hold for some two hours.
    private static func start(after rest: Int) -> Int { rest < 7200 ? 5 : 30 }

    private mutating func perform(_ actions: [HubAction]) {
        for action in actions {
            switch action {
            case .demand(let count) where count > 0:
                began = second
                if let closed {
                    firstFix = second + (second == 0 ? 45 : Self.start(after: second - closed))
                } else {
                    // gpsd still has it open, and reports what it has.
                    firstFix = max(firstFix, second + 1)
                }
                (closed, released) = (nil, nil)
            case .demand: (began, released) = (nil, second)
            case .sendLocation: locations.append(second)
            default: break
            }
        }
    }

    static func report() {
        print("a watch with an interval, over a day; seconds to the first fix: 45, then 5 or, after two hours, 30\n")
        print("| interval, s | connected to gpsd, s | share | receiver on, s | share | locations | longest gap, s |")
        print("|---:|---:|---:|---:|---:|---:|---:|")
        for interval in [nil, 20, 60, 120, 300, 600, 3600] as [Double?] {
            let run = IntervalShare(interval: interval)
            func share(_ seconds: Int) -> Double { (Double(seconds) / Double(day) * 10_000).rounded() / 10_000 }
            print(
                "| \(interval.map { "\(Int($0))" } ?? "none") | \(run.connected) | \(share(run.connected)) | \(run.powered) |",
                "\(share(run.powered)) | \(run.locations.count) | \(run.longestGap) |")
        }
        print()
    }
}
