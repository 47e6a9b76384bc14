import Glibc
@_spi(Programs) package import LocationModel
@_spi(Programs) import SystemSupport

/// A position from a file, delivered once a second and immediately when the file changes.
///
/// Like that of ``StaticSource`` it has no timestamp and is not marked as simulated. While the file is missing,
/// unreadable or malformed there is no fix: the file was changed because the machine has moved, so the previous
/// position can no longer be trusted. One thread, `position-file`, waits for changes; it lasts as long as each run, or
/// longer while an unreachable network disk blocks it.
package struct PositionFileSource: LocationSource {
    package let name: String
    private let path: String
    private let read: @Sendable (String) -> Result<WrittenPosition, PositionFile.Fault>
    private let interval: Double
    private let clock: @Sendable () -> BootInstant
    private let place = ThreadPlace()

    /// - Parameters:
    ///   - path: the absolute path of a file with a ``WrittenPosition``.
    ///   - interval: seconds between two fixes, and between two checks of a file whose changes cannot be watched.
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
            deliver(.condition(.unavailable(reason: "the disk of \(path) does not respond; the daemon keeps waiting")))
        }
    }

    private func follow(until waker: Waker, _ deliver: @escaping (SourceEvent) -> Void) {
        var watch = FileWatch(path: path)
        var reporter = PositionReporter(name: name, deliver: deliver)
        while true {
            let isWatched = watch?.arm() ?? false
            let position = read(path)
            // Meanwhile the thread may have been abandoned.
            if waker.isWoken { return }
            reporter.applyReading(position, at: clock())
            while true {
                let wait = waker.wait(
                    for: watch?.descriptor ?? -1, events: POLLIN, seconds: reporter.delay(of: interval, at: clock()))
                switch wait {
                case .woken: return
                case .ready: if !(watch?.consumeChange() ?? false) { continue }
                case .timedOut:
                    if isWatched {
                        reporter.repeatFix(at: clock())
                        continue
                    }
                }
                break
            }
        }
    }
}

/// The last delivered fix or failure, and what follows from the next.
private struct PositionReporter {
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
    func delay(of interval: Double, at now: BootInstant) -> Double {
        max(0, interval - now.seconds(since: last))
    }

    mutating func applyReading(_ result: Result<WrittenPosition, PositionFile.Fault>, at now: BootInstant) {
        switch result {
        case .success(let read):
            position = read
            emit(.connected(reason: nil))
        case .failure(let fault):
            // The condition first, so that its reason accompanies the loss of the fix.
            emit(.unavailable(reason: fault.description))
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
            monotonicTime: now, source: SourceInformation(name: name, method: .fixedPosition))
        location.altitude = position.altitude
        location.horizontalAccuracy = position.horizontalAccuracy
        deliver(.fix(location))
    }

    private mutating func emit(_ new: SourceCondition) {
        guard new != condition else { return }
        condition = new
        deliver(.condition(new))
    }
}

/// The file that contains a ``WrittenPosition``.
struct PositionFile: Sendable {
    let path: String
    /// Bytes; four numbers with comments are far shorter.
    static let largest = 65_536

    /// Why the file gives no position, with the next step.
    struct Fault: Error, Equatable, CustomStringConvertible {
        let description: String
    }

    func position() throws(Fault) -> WrittenPosition {
        let text = try content()
        do {
            return try WrittenPosition(parsing: text)
        } catch {
            throw Fault(description: "\(path)\(error.line.map { ":\($0)" } ?? ""): \(error.problem)")
        }
    }

    private func content() throws(Fault) -> [UInt8] {
        // Not blocking, because opening a FIFO would otherwise wait for a writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            guard errno != ENOENT else {
                throw Fault(description: "there is no \(path); write latitude and longitude into it, one a line")
            }
            throw Fault(description: "\(path) cannot be opened: \(Self.reason); let the daemon's user read it")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw Fault(description: "\(path) is not a regular file; name one that contains latitude and longitude")
        }
        var content = [UInt8](repeating: 0, count: Self.largest + 1)
        var size = 0
        while size < content.count {
            let count = content[size...].withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count == 0 { break }
            if count > 0 {
                size += count
            } else if errno != EINTR {
                throw Fault(description: "\(path) cannot be read: \(Self.reason); check the file and its disk")
            }
        }
        guard size <= Self.largest else {
            throw Fault(description: "\(path) is larger than \(Self.largest) bytes; four lines are enough")
        }
        return Array(content[..<size])
    }

    private static var reason: String { String(cString: strerror(errno)) }
}

/// A position as an administrator writes it: latitude, longitude, altitude and accuracy, one per line, the last two if
/// known. It is the format of GeoClue's /etc/geolocation, so that both can share a file.
///
/// Empty lines, and text after `#`, are ignored.
package struct WrittenPosition: Sendable, Equatable {
    package let coordinate: Coordinate
    /// Metres above mean sea level.
    package let altitude: Double?
    /// Metres; the position's uncertainty.
    package let horizontalAccuracy: Double?

    /// A syntax error. It names lines and what kind of text they have, and never quotes digits or words, because it is
    /// shown to clients that may not know the position.
    package struct Mistake: Error, Equatable {
        /// The line, from 1; `nil` if something is missing.
        package let line: Int?
        package let problem: String
    }

    private enum Quantity: String, CaseIterable {
        case latitude, longitude, altitude, accuracy

        var range: ClosedRange<Double> {
            switch self {
            case .latitude: -90...90
            case .longitude: -180...180
            case .altitude: -12_000...100_000
            case .accuracy: 0...100_000
            }
        }

        var demand: String {
            let unit = self == .altitude || self == .accuracy ? "metres" : "degrees"
            return
                "the \(rawValue) is to be a number from \(Int(range.lowerBound)) to \(Int(range.upperBound)) (\(unit))"
        }
    }

    package init(parsing text: [UInt8]) throws(Mistake) {
        var values: [Quantity: Double] = [:]
        let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
            let content = line.prefix { $0 != UInt8(ascii: "#") }.drop(while: isBlank)
            guard !content.isEmpty else { continue }
            guard values.count < Quantity.allCases.count else {
                throw Mistake(line: index + 1, problem: "there is a number after the accuracy; remove it")
            }
            let quantity = Quantity.allCases[values.count]
            let end = content.lastIndex { !isBlank($0) }.map(content.index(after:)) ?? content.endIndex
            guard let value = Self.number(content[..<end]), quantity.range.contains(value) else {
                throw Mistake(
                    line: index + 1, problem: "\(quantity.demand); \(Self.description(of: content[..<end]))")
            }
            values[quantity] = value
        }
        guard let latitude = values[.latitude], let longitude = values[.longitude],
            let coordinate = Coordinate(latitude: latitude, longitude: longitude)
        else {
            let missing: Quantity = values[.latitude] == nil ? .latitude : .longitude
            throw Mistake(line: nil, problem: "the \(missing.rawValue) is missing; write one number a line")
        }
        self.coordinate = coordinate
        altitude = values[.altitude]
        horizontalAccuracy = values[.accuracy]
    }

    /// What a line has that is no number in the range: the first character that belongs to none, if that is
    /// punctuation.
    private static func description(of bytes: some Collection<UInt8>) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { return "the line is no UTF-8" }
        guard let wrong = text.unicodeScalars.first(where: { !"+-.0123456789eE".unicodeScalars.contains($0) }) else {
            return number(bytes) == nil ? "the line is no number" : "the line has a number outside of that"
        }
        let properties = wrong.properties
        if properties.isWhitespace { return "the line has a space; write one number a line" }
        if properties.isAlphabetic || properties.numericType != nil { return "the line has letters" }
        return "the line has '\(String(wrong).escapingUnprintable())'" + (wrong == "," ? "; write a point" : "")
    }

    /// Digits, sign, point and exponent only: no hexadecimal numbers and no words such as `inf`.
    private static func number(_ bytes: some Collection<UInt8>) -> Double? {
        guard bytes.allSatisfy({ "+-.0123456789eE".utf8.contains($0) }) else { return nil }
        return Double(String(decoding: bytes, as: UTF8.self))
    }
}
