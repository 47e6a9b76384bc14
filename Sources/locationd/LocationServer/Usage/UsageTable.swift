@_spi(Programs) package import LocationInterface
@_spi(Programs) package import LocationModel

/// Which programs were sent locations in the last 24 hours, and how many. Pure; it belongs to the event loop.
///
/// A program is in it from its first location on, so nobody without permission takes room. At most ``userLimit``
/// programs of a user are kept and ``limit`` in all: beyond that the program goes that has waited longest for a
/// location. Times are seconds of `CLOCK_BOOTTIME`, so that a change of the wall clock changes no count; counts are by
/// the hour of that clock.
package struct UsageTable: Sendable {
    /// Seconds.
    package static let period = 86_400
    package static let userLimit = 32
    package static let limit = 1024

    /// A program as it is told apart from others: by claims alone, but for its user and the service.
    package struct Program: Hashable, Sendable {
        package var user: UInt32
        package var name: String?
        package var service: String?

        package init(user: UInt32, name: String?, service: String? = nil) {
            (self.user, self.name, self.service) = (user, name, service)
        }
    }

    /// Locations that were sent one after the other.
    package struct Count: Sendable {
        package private(set) var locations = 0
        package private(set) var last = 0

        package init() {}

        package mutating func add(_ count: Int, at second: Int) {
            locations += count
            last = max(last, second)
        }
    }

    private struct Record {
        var last: Int
        /// When it was last sent a location of full accuracy.
        var lastFull: Int?
        /// The numbers of locations by hour, the oldest first.
        var hours: [(hour: Int, count: Int)] = []
    }

    private var records: [Program: Record] = [:]
    private let start: BootInstant
    private var hour: Int
    /// What the wall clock shows at 0 of `CLOCK_BOOTTIME`, in whole seconds.
    private var boot: Int64?

    /// - Parameter start: since when locations are counted.
    package init(at start: BootInstant) {
        self.start = start
        hour = start.wholeSeconds / 3600
    }

    /// - Returns: true if another hour has begun since the last call.
    package mutating func advanceHour(to now: BootInstant) -> Bool {
        let hour = now.wholeSeconds / 3600
        defer { self.hour = hour }
        return hour != self.hour
    }

    /// Adds what a program was sent.
    package mutating func add(_ count: Count, to program: Program, isFull: Bool) {
        var record = records[program] ?? makeRecord(of: program)
        record.last = max(record.last, count.last)
        if isFull { record.lastFull = record.last }
        let hour = count.last / 3600
        if let last = record.hours.last, last.hour >= hour {
            record.hours[record.hours.count - 1].count += count.locations
        } else {
            record.hours.removeAll { $0.hour < hour - Self.period / 3600 }
            record.hours.append((hour, count.locations))
        }
        records[program] = record
    }

    /// Adds the programs that were sent locations before a restart. The audit does not say which bridge served a
    /// program, so the program goes on under its name, whichever serves it.
    package mutating func resume(_ audit: [AuditRecord], at now: BootInstant, utc: UTCTime) {
        for record in audit where record.event == .delivered {
            let age = utc.seconds(since: record.time)
            guard let uid = record.uid.flatMap(UInt32.init(exactly:)), (0..<Double(Self.period)).contains(age) else {
                continue
            }
            let unit = record.principal.hasPrefix("unit:") ? String(record.principal.dropFirst(5)) : nil
            let program = Program(user: uid, name: record.purpose ?? unit)
            let last = now.wholeSeconds - Int(age)
            var known = records[program] ?? makeRecord(of: program)
            known.last = max(known.last, last)
            if record.accuracy == .full { known.lastFull = last }
            records[program] = known
        }
    }

    /// A record for a program that has none: that from before a restart, if there is one.
    private mutating func makeRecord(of program: Program) -> Record {
        let resumed = Program(user: program.user, name: program.name)
        if let record = records[resumed], record.hours.isEmpty {
            records[resumed] = nil
            return record
        }
        let own = records.filter { $0.key.user == program.user }
        if own.count >= Self.userLimit { removeOldest(of: own) }
        if records.count >= Self.limit { removeOldest(of: records) }
        return Record(last: .min)
    }

    private mutating func removeOldest(of records: [Program: Record]) {
        guard let oldest = records.min(by: { $0.value.last < $1.value.last }) else { return }
        self.records[oldest.key] = nil
    }

    // MARK: The list

    /// A program that receives locations now.
    package struct Receiver: Sendable {
        package var program: Program
        /// Its process, if it is connected itself.
        package var pid: Int?
        package var since: BootInstant
        package var isFull: Bool

        package init(program: Program, pid: Int? = nil, since: BootInstant, isFull: Bool) {
            (self.program, self.pid, self.since, self.isFull) = (program, pid, since, isFull)
        }
    }

    /// The programs of a user, or of all users: those that receive locations first, then by the time of the last one.
    /// - Parameters:
    ///   - receivers: those of any user that receive locations now.
    ///   - user: `nil` for all users, whose numbers the list then has; it is of ``limit`` programs at most.
    package mutating func list(
        _ receivers: [Receiver], of user: UInt32?, at now: BootInstant, utc: UTCTime
    ) -> [LocationUsage] {
        // Two readings of a clock differ by their fractions, and the same moment is to have the same text.
        let boot = utc.seconds - Int64(now.wholeSeconds)
        if self.boot.map({ abs($0 - boot) > 1 }) ?? true { self.boot = boot }
        var receiving: [Program: Receiver] = [:]
        for receiver in receivers where user == nil || receiver.program.user == user {
            guard var known = receiving[receiver.program] else {
                receiving[receiver.program] = receiver
                continue
            }
            if receiver.since < known.since { (known.since, known.pid) = (receiver.since, receiver.pid) }
            known.isFull = known.isFull || receiver.isFull
            receiving[receiver.program] = known
        }
        let second = now.wholeSeconds
        let recent = records.filter { (user == nil || $0.key.user == user) && second - $0.value.last < Self.period }
        let programs = Set(receiving.keys).union(recent.keys)
        let entries = programs.map { ($0, receiving[$0], recent[$0]) }
        let sorted = entries.sorted { first, other in
            guard (first.1 == nil) == (other.1 == nil) else { return first.1 != nil }
            let (last, otherLast) = (first.2?.last ?? .min, other.2?.last ?? .min)
            return last == otherLast ? first.0 < other.0 : last > otherLast
        }
        return sorted.prefix(Self.limit).map { program, receiver, record in
            usage(program, receiver, record, showsUser: user == nil, at: second)
        }
    }

    private func usage(
        _ program: Program, _ receiver: Receiver?, _ record: Record?, showsUser: Bool, at second: Int
    ) -> LocationUsage {
        let wasFull = record?.lastFull.map { second - $0 < Self.period } ?? false
        var usage = LocationUsage(accuracy: receiver?.isFull == true || wasFull ? .full : .reduced)
        usage.user = showsUser ? program.user : nil
        (usage.program, usage.service) = (program.name, program.service)
        usage.pid = receiver?.pid
        usage.since = receiver.map { time(of: $0.since.wholeSeconds) }
        usage.last = record.map { time(of: $0.last) }
        let counted = record?.hours.filter { $0.hour >= (second - Self.period) / 3600 }
        usage.locations = counted?.reduce(0) { $0 + $1.count } ?? 0
        if second - start.wholeSeconds < Self.period { usage.countedSince = time(of: start.wholeSeconds) }
        return usage
    }

    private func time(of second: Int) -> UTCTime { UTCTime(seconds: (boot ?? 0) + Int64(second)) }
}

extension UsageTable.Program: Comparable {
    /// By user, name and service, so that a list has one order.
    package static func < (first: Self, other: Self) -> Bool {
        (first.user, first.name ?? "", first.service ?? "") < (other.user, other.name ?? "", other.service ?? "")
    }
}

extension BootInstant {
    /// Whole seconds since boot.
    package var wholeSeconds: Int { Int(nanoseconds / 1_000_000_000) }
}
