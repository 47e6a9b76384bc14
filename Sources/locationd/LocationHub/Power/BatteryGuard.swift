@_spi(Programs) import LocationModel

/// Whether the battery is too low for the sources to run: discharging and below the administrator's level.
///
/// A gauge may be wrong, so one reading alone changes little. What cannot be, and a jump that the next reading does not
/// confirm, change nothing and are counted. ``hysteresis`` lies between off and on again; and shortly after the
/// sources were allowed again, two low readings in a row are needed to stop them once more, so that a loose plug does
/// not switch them at each reading. After ``patience`` unusable readings in a row nothing says any more that the
/// battery is low, and the sources may run.
struct BatteryGuard {
    /// Seconds between two readings, at least.
    static let interval = 60.0
    /// Percentage points above the level at which the sources may run again.
    static let hysteresis = 3.0
    static let patience = 10
    /// Percentage points by which the charge may change between two readings, and by how many more with each minute.
    static let plausibleStep = 10.0
    /// Seconds after the sources were allowed in which one low reading does not suffice.
    static let probation = 600.0

    /// The charge that counts at present, percent.
    private(set) var percent: Double?
    private(set) var isDischarging = false
    private(set) var isLow = false
    /// A reading is requested and has not come.
    private(set) var isReading = false
    /// Readings that were not believed.
    private(set) var faults = 0
    private var requested: BootInstant?
    private var believed: BootInstant?
    /// A jump that the next reading may confirm.
    private var candidate: Double?
    private var faultsInRow = 0
    private var lowInRow = 0
    private var allowed: BootInstant?

    /// Requests a reading if the last was long enough ago.
    mutating func requestIfDue(at now: BootInstant) -> Bool {
        guard !isReading, nextRequest.map({ $0 <= now }) ?? true else { return false }
        requested = now
        isReading = true
        return true
    }

    /// When a reading is due; `nil` for at once.
    private var nextRequest: BootInstant? { requested?.advanced(bySeconds: Self.interval) }

    /// When the next request is due while readings are needed; `nil` until the first.
    var nextDeadline: BootInstant? { isReading ? nil : nextRequest }

    /// The level changed: the next reading is due at once.
    mutating func expire() { requested = nil }

    /// Applies a reading.
    /// - Returns: what is wrong with it; `nil` if it is believed.
    mutating func apply(_ reading: BatteryReading, minimum: Int, at now: BootInstant) -> String? {
        isReading = false
        switch reading {
        case .charge(let percent, let isDischarging):
            guard percent.isFinite, (0...100).contains(percent) else {
                return doubt("the battery claims a charge that cannot be", at: now, patience: Self.patience)
            }
            if let jump = jump(to: percent, at: now) {
                candidate = percent
                return doubt(jump, at: now, patience: Self.patience)
            }
            believe(percent, isDischarging, minimum: Double(minimum), at: now)
            return nil
        case .noBattery:
            guard percent != nil || isLow else { return nil }
            return doubt("the battery has vanished", at: now, patience: 2)
        case .unusable(let reason): return doubt(reason, at: now, patience: Self.patience)
        }
    }

    private func jump(to percent: Double, at now: BootInstant) -> String? {
        guard let known = self.percent, let believed else { return nil }
        let step = Self.plausibleStep * (1 + max(0, now.seconds(since: believed)) / 60)
        if abs(percent - known) <= step { return nil }
        if let candidate, abs(percent - candidate) <= Self.plausibleStep { return nil }
        return "the battery's charge jumps from \(Int(known)) % to \(Int(percent)) %"
    }

    private mutating func doubt(_ fault: String, at now: BootInstant, patience: Int) -> String {
        faults += 1
        faultsInRow += 1
        if faultsInRow >= patience {
            percent = nil
            believed = nil
            candidate = nil
            allow(at: now)
        }
        return fault
    }

    private mutating func believe(_ percent: Double, _ isDischarging: Bool, minimum: Double, at now: BootInstant) {
        (self.percent, self.isDischarging, believed) = (percent, isDischarging, now)
        (candidate, faultsInRow) = (nil, 0)
        if isLow {
            if !isDischarging || percent >= min(100, minimum + Self.hysteresis) { allow(at: now) }
            return
        }
        guard isDischarging, percent < minimum else { return lowInRow = 0 }
        lowInRow += 1
        let isOnProbation = allowed.map { now.seconds(since: $0) < Self.probation } ?? false
        if lowInRow > (isOnProbation ? 1 : 0) {
            isLow = true
        } else {
            // As long as single low readings come, the plug is loose.
            allowed = now
        }
    }

    private mutating func allow(at now: BootInstant) {
        lowInRow = 0
        guard isLow else { return }
        isLow = false
        allowed = now
    }
}
