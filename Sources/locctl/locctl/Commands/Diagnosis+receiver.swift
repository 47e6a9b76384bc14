@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
@_spi(Programs) import SystemSupport
import Varlink

/// The links beyond the daemon: source, device, satellites, fix.
extension Diagnosis {
    static let clearView =
        "give the antenna a clear view of the sky; after a cold start a receiver needs a minute, some need ten"

    /// Requests locations and follows the updates until a fix arrives, or the time is over. A location that was there
    /// before proves nothing: the sources may have been stopped since.
    /// - Returns: whether there is a fix.
    mutating func receiver(_ options: ConnectionOptions, patience: Double) throws -> Bool {
        let connection = try options.connect()
        defer { withExtendedLifetime(connection) {} }
        var request = WatchRequest()
        request.satellites = true
        request.purpose = "locctl diagnose"
        try connection.send(LocationInterface.Method.watch, request, more: true)
        var evidence = FixEvidence()
        let end = MachineClock.now.advanced(bySeconds: patience)
        while let reply = try connection.nextReply(seconds: end.seconds(since: MachineClock.now)) {
            let update = try reply.answer(as: WatchReply.self)
            try update.status?.requirePermission()
            if let location = evidence.apply(update) {
                // A change in other sources alone is not announced; the watch keeps them needed.
                var status = try CallerStatus(over: try options.connect()).status
                status.sources = status.sources ?? evidence.status?.sources
                delivery(location, status)
                return true
            }
            if evidence.isHopeless || !reply.continues { break }
        }
        explain(evidence, patience)
        return false
    }

    /// Says which source delivers, and what is wrong with the others.
    mutating func delivery(_ location: Aged<Location>, _ status: ServiceStatus) {
        add("source", "\(location.value.source.name) delivers")
        otherSources(than: location.value.source.name, status.sources ?? [])
        if let device = location.value.source.device { add("device", device) }
        let isReduced = status.accuracy == .reduced
        let line = Text.line(location.value, age: location.age, isReduced: isReduced)
        let isDoubtful = location.value.isTimestampImplausible
        isDoubtful
            ? note("fix", line, advice: "the receiver's clock is wrong, or the machine's; the position is not affected")
            : add("fix", line)
    }

    /// Says which of the sources are broken or switched off, and which ranked above the one that delivers have no fix.
    private mutating func otherSources(than serving: String, _ sources: [RankedSource]) {
        let rank = sources.firstIndex { $0.name == serving } ?? sources.endIndex
        for (index, source) in sources.enumerated() where index != rank {
            let finding = Self.finding(source.name, source.reason ?? "no fix")
            switch source.state {
            case .tracking: break
            case .unavailable: fail("source", finding, advice: ReceiverDevices.advice(for: source.reason))
            case .stopped: if source.reason != nil { note("source", finding) }
            case .starting, .searching, .lost, .unknown: if index < rank { note("source", finding) }
            }
        }
    }

    /// Seconds: a compass that is there gives a heading at once.
    static let compassPatience = 3.0

    /// Requests headings if a source of headings alone is configured, until there is one, or the time is over.
    mutating func compass(_ options: ConnectionOptions, patience: Double) throws {
        let connection = try options.connect()
        var request = WatchRequest()
        request.location = false
        request.heading = true
        request.purpose = "locctl diagnose"
        try connection.send(LocationInterface.Method.watch, request, more: true)
        var compasses: [RankedSource] = []
        let end = MachineClock.now.advanced(bySeconds: patience)
        while let reply = try connection.nextReply(seconds: end.seconds(since: MachineClock.now)) {
            let update = try reply.answer(as: WatchReply.self)
            compasses = update.status?.compasses ?? compasses
            guard let first = compasses.first else { return }
            if update.heading != nil { return add("compass", "\(first.name) delivers headings") }
        }
        guard let first = compasses.first else { return }
        // A change of its reason alone is not announced.
        let status = try CallerStatus(over: try options.connect()).status
        let reason = status.compasses?.lazy.compactMap(\.reason).first
        fail(
            "compass", "\(first.name): \(reason ?? "no heading came within \(Text.number(patience, 0)) s")",
            advice: reason == nil ? "allow more time with --patience SECONDS" : nil)
    }

    /// Says why no fix has arrived.
    mutating func explain(_ evidence: FixEvidence, _ patience: Double) {
        let status = evidence.status
        switch status?.source {
        case .unavailable, .starting:
            fail("source", status?.reason ?? "it does not answer", advice: ReceiverDevices.advice(for: status?.reason))
        case .searching where status?.reason != nil:
            add("source", "it answers")
            fail("device", status?.reason ?? "", advice: ReceiverDevices.advice(for: status?.reason))
        case .lost where status?.reason != nil, .stopped where status?.reason != nil:
            fail("source", status?.reason ?? "", advice: nil)
        case nil, .stopped, .unknown:
            fail("source", "the daemon did not report in time", advice: "allow more time with --patience SECONDS")
        case .tracking where evidence.first != nil:
            fail(
                "fix", "none has come for \(Text.duration(patience)) since the last known one",
                advice: "allow more time with --patience SECONDS, if the receiver reports seldom")
        default:
            add("source", "it sends data")
            if status?.accuracy == .reduced { return awaitReduced() }
            explainSky(evidence.sky)
        }
    }

    private mutating func explainSky(_ sky: [Satellite]?) {
        guard let sky else {
            return fail("fix", "none yet; the receiver reports no satellites", advice: Self.clearView)
        }
        let signals = sky.compactMap(\.signal)
        let heard = signals.isEmpty ? "" : ", \(signals.count { $0 > 0 }) with a signal"
        let finding = "\(sky.count) in view\(heard)"
        if sky.isEmpty || !signals.isEmpty && signals.allSatisfy({ $0 <= 0 }) {
            return fail("satellites", finding, advice: Self.clearView)
        }
        add("satellites", finding)
        fail("fix", "none yet", advice: Self.clearView)
    }

    /// The daemon reports no satellites to callers with reduced accuracy.
    private mutating func awaitReduced() {
        fail(
            "fix", "none yet; reduced accuracy means \(Text.reduction)",
            advice: "wait, or ask an administrator for full accuracy: `sudo locctl authorize \(PrincipalText.caller)`")
    }
}

/// What a watch says about whether fixes arrive now.
struct FixEvidence {
    private(set) var status: ServiceStatus?
    private(set) var sky: [Satellite]?
    /// The location that was known when the watch began.
    private(set) var first: Aged<Location>?
    private var hasReply = false

    /// - Returns: the location that proves that fixes arrive: one after the first reply; with reduced accuracy, where
    ///   new ones are rare, also the first, if the status has nothing against it.
    mutating func apply(_ update: WatchReply) -> Aged<Location>? {
        defer { hasReply = true }
        status = update.status ?? status
        sky = update.satellites ?? sky
        guard let location = update.location else { return nil }
        if hasReply { return location }
        first = location
        return status?.accuracy == .reduced && status?.reason == nil ? location : nil
    }

    /// True if no fix can come: no source can be reached, or all are stopped for a reason.
    var isHopeless: Bool { status?.isHopeless == true || status?.source == .stopped && status?.reason != nil }
}
