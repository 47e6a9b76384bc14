import LocationHub
@_spi(Programs) import LocationModel

/// How long the receiver runs for a watch that pauses, over a drive between two stays, and how late the first location of the
/// drive is.
struct PauseShare: ~Copyable {
    private(set) var connected = 0
    private(set) var powered = 0
    /// The seconds in which a location was sent.
    private(set) var locations: [Int] = []

    /// Seconds from the receiver's start to its first fix, when it was off for a short while.
    private static let start = 5

    private var hub: Hub
    private var second = 0
    private var began: Int?
    /// When the daemon let go of the receiver.
    private var released: Int?

    /// - Parameter interval: `pause-interval`, seconds; `nil` for a watch that does not pause.
    init(interval: Double?, over drive: Drive) {
        var settings = HubSettings()
        settings.pauseInterval = interval ?? settings.pauseInterval
        hub = Hub(
            settings: settings, sources: ["model"], isEnabled: true, sequenceStart: 0, lastLocation: nil, at: .at(0))
        var request = WatchRequest()
        request.pausesAutomatically = interval != nil
        perform(hub.addWatch(request, permission: Permission(.authorizedAlways), at: .at(0)) { _ in })
        for (second, fix) in drive.fixes.enumerated() { live(second, fix) }
    }

    private mutating func live(_ second: Int, _ fix: Location) {
        self.second = second
        perform(hub.advance(to: .at(second)))
        if began != nil || released.map({ second - $0 < IntervalShare.release }) ?? false { powered += 1 }
        guard let began else { return }
        connected += 1
        if second >= began + Self.start { perform(hub.applyEvent(.fix(fix), from: 0, at: .at(second))) }
    }

    private mutating func perform(_ actions: [HubAction]) {
        for action in actions {
            switch action {
            case .demand(let count) where count > 0: (began, released) = (began ?? second, nil)
            case .demand: (began, released) = (nil, second)
            case .sendLocation: locations.append(second)
            default: break
            }
        }
    }

    static func report(_ drive: Drive, stay: Int) {
        print("a watch that pauses, \(drive.name)\n")
        print("| pause-interval, s | connected to gpsd, s | share | receiver on, s | share | first location after, s |")
        print("|---:|---:|---:|---:|---:|---:|")
        for interval in [nil, 60, 120, 300, 600] as [Double?] {
            let run = PauseShare(interval: interval, over: drive)
            func share(_ seconds: Int) -> Double {
                (Double(seconds) / Double(drive.fixes.count) * 1000).rounded() / 1000
            }
            let first = run.locations.first { $0 >= stay }.map { "\($0 - stay)" } ?? "never"
            print(
                "| \(interval.map { "\(Int($0))" } ?? "none") | \(run.connected) | \(share(run.connected)) | \(run.powered) |",
                "\(share(run.powered)) | \(first) |")
        }
        print()
    }
}
