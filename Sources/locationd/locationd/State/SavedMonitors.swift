import FoundationEssentials
import LocationHub
@_spi(Programs) import LocationModel
@_spi(Programs) import RegionMonitoring

/// The named monitors as stored in the file, with both clocks' times of the write.
struct SavedMonitors: SavedFile {
    static let currentVersion = 1
    /// More than the limits of regions allow, including the escapes of identifiers in JSON.
    static let byteLimit = 134_217_728

    var version = Self.currentVersion
    var bootID: String?
    var savedAt: UTCTime
    /// The time of the write on the clock that counts from boot.
    var monotonicTime: BootInstant
    var monitors: [PersistedMonitor]

    init(_ monitors: [PersistedMonitor], bootID: String?, savedAt: UTCTime, monotonicTime: BootInstant) {
        self.monitors = monitors
        self.bootID = bootID
        self.savedAt = savedAt
        self.monotonicTime = monotonicTime
    }

    /// The monitors, with the times of their fixes converted to the present boot's clock.
    ///
    /// After a reboot the wall clock gives the age of a fix, which is at least the time since boot. If the wall clock
    /// went back, the age is unknown and the fix is dropped, as is one with an impossible number; the state stays until
    /// the next fix confirms it.
    func monitors(now: BootInstant, wallClock: UTCTime, bootID: String?) -> [PersistedMonitor] {
        let isSameBoot = bootID != nil && bootID == self.bootID && monotonicTime <= now
        let elapsed = wallClock.seconds(since: savedAt)
        return monitors.map { monitor in
            var monitor = monitor
            for index in monitor.memory.regions.indices {
                guard var location = monitor.memory.regions[index].location else { continue }
                let age = max(0, monotonicTime.seconds(since: location.monotonicTime))
                if isSameBoot {
                    location.monotonicTime = min(location.monotonicTime, now)
                } else {
                    location.monotonicTime = now.advanced(bySeconds: -max(age + elapsed, now.seconds))
                }
                let isKnown = (isSameBoot || elapsed >= 0) && location.firstImpossibleField == nil
                monitor.memory.regions[index].location = isKnown ? location : nil
            }
            return monitor
        }
    }

    func encoded() throws -> [UInt8] {
        var none = EncodedMonitors()
        return try encoded(reusing: &none)
    }

    /// - Parameter pieces: the encoded monitors of the last write; unchanged ones are not encoded again.
    func encoded(reusing pieces: inout EncodedMonitors) throws -> [UInt8] {
        // Encoded one by one, because encoding takes thirty times the memory of the text.
        var frame = self
        frame.monitors = []
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let whole = Array(try encoder.encode(frame))
        guard let list = whole.firstRange(of: Array(#""monitors":["#.utf8)) else { return whole }
        return whole[..<list.upperBound] + (try pieces.list(of: monitors, by: encoder)) + whole[list.upperBound...]
    }
}

/// Monitors with their JSON.
struct EncodedMonitors {
    private var pieces: [MonitorKey: (monitor: PersistedMonitor, text: [UInt8])] = [:]

    /// The elements of a JSON array. Pieces of monitors that are not in the list are dropped.
    mutating func list(of monitors: [PersistedMonitor], by encoder: JSONEncoder) throws -> [UInt8] {
        var present: [MonitorKey: (monitor: PersistedMonitor, text: [UInt8])] = [:]
        var bytes: [UInt8] = []
        for monitor in monitors {
            let known = pieces[monitor.key].flatMap { $0.monitor == monitor ? $0.text : nil }
            let text = try known ?? Array(encoder.encode(monitor))
            present[monitor.key] = (monitor, text)
            if !bytes.isEmpty { bytes.append(UInt8(ascii: ",")) }
            bytes += text
        }
        pieces = present
        return bytes
    }
}
