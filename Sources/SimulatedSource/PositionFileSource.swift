import Glibc
package import LocationModel
import SystemSupport

/// A position that stands in a file, told once a second and at once when the file changes.
///
/// As ``StaticSource`` it has no timestamp and is not marked as simulated. While the file is missing, cannot be read or
/// has a mistake there is no fix: whoever touched it did so because the machine is elsewhere, so that the position it had
/// is no longer known to be true. One thread, `position-file`, waits for changes; it lives as long as each run, and longer
/// where a disk on the network does not let it go.
package struct PositionFileSource: LocationSource {
    package let name: String
    private let path: String
    private let read: @Sendable (String) -> Result<WrittenPosition, PositionFile.Fault>
    private let interval: Double
    private let clock: @Sendable () -> BootInstant
    private let place = ThreadPlace()

    /// - Parameters:
    ///   - path: absolute; a ``WrittenPosition`` is read there.
    ///   - interval: seconds between two fixes, and between two looks at a file whose changes nobody tells.
    package init(
        name: String = "static-file", path: String, interval: Double = 1, clock: @escaping @Sendable () -> BootInstant
    ) {
        self.init(name: name, path: path, interval: interval, clock: clock) { path in
            Result { () throws(PositionFile.Fault) in try PositionFile(path: path).position() }
        }
    }

    init(
        name: String, path: String, interval: Double, clock: @escaping @Sendable () -> BootInstant,
        read: @escaping @Sendable (String) -> Result<WrittenPosition, PositionFile.Fault>
    ) {
        self.name = name
        self.path = path
        self.read = read
        self.interval = interval
        self.clock = clock
    }

    package func run(deliver: @escaping @Sendable (SourceEvent) -> Void) async {
        await place.run(named: "position-file") { waker in
            { follow(until: waker, deliver) }
        } isShort: { reason in
            deliver(.condition(.unavailable(reason: reason)))
        } isHeld: {
            deliver(.condition(.unavailable(reason: "the disk of \(path) does not answer; it is waited for")))
        }
    }

    private func follow(until waker: Waker, _ deliver: @escaping (SourceEvent) -> Void) {
        var watch = FileWatch(path: path)
        var teller = Teller(name: name, deliver: deliver)
        while true {
            let isWatched = watch?.arm() ?? false
            let position = read(path)
            // Meanwhile it may have been left behind.
            if waker.isWoken { return }
            teller.take(position, at: clock())
            while true {
                let wait = waker.wait(
                    for: watch?.descriptor ?? -1, events: POLLIN, seconds: teller.silence(of: interval, at: clock()))
                switch wait {
                case .woken: return
                case .ready: if !(watch?.takeChange() ?? false) { continue }
                case .timedOut:
                    if isWatched {
                        teller.repeatFix(at: clock())
                        continue
                    }
                }
                break
            }
        }
    }
}

/// What was told last, and what is to be told after it.
private struct Teller {
    let name: String
    let deliver: (SourceEvent) -> Void
    private var position: WrittenPosition?
    private var condition: SourceCondition?
    private var last = BootInstant(seconds: 0)

    init(name: String, deliver: @escaping (SourceEvent) -> Void) {
        self.name = name
        self.deliver = deliver
    }

    /// Seconds until the next fix is due.
    func silence(of interval: Double, at now: BootInstant) -> Double {
        max(0, interval - now.seconds(since: last))
    }

    mutating func take(_ result: Result<WrittenPosition, PositionFile.Fault>, at now: BootInstant) {
        switch result {
        case .success(let read):
            position = read
            tell(.connected(reason: nil))
        case .failure(let fault):
            // The reason first, so that the loss is told with it.
            tell(.unavailable(reason: fault.description))
            if position != nil { deliver(.noFix(device: nil)) }
            position = nil
        }
        repeatFix(at: now)
    }

    mutating func repeatFix(at now: BootInstant) {
        last = now
        guard let position else { return }
        var location = Location(
            coordinate: position.coordinate, mode: position.altitude == nil ? .twoDimensional : .threeDimensional,
            monotonicTime: now, source: SourceInformation(name: name))
        location.altitude = position.altitude
        location.horizontalAccuracy = position.horizontalAccuracy
        deliver(.fix(location))
    }

    private mutating func tell(_ new: SourceCondition) {
        guard new != condition else { return }
        condition = new
        deliver(.condition(new))
    }
}
