import LocationInterface
import LocationKit
import SystemClock
import Varlink

/// The links beyond the daemon: source, device, satellites, fix.
extension Diagnosis {
    private static let clearView =
        "give the antenna a clear view of the sky; a cold receiver needs up to a minute, some ten"

    /// Asks for locations and follows what happens until there is one, or the patience is over.
    mutating func receiver(_ options: ConnectionOptions, patience: Double) throws {
        let connection = try options.connect()
        var request = WatchRequest()
        request.satellites = true
        request.purpose = "locctl diagnose"
        try connection.send(LocationInterface.Method.watch, request, more: true)
        var last: ServiceStatus?
        var sky: [Satellite]?
        let end = MachineClock.now.advanced(bySeconds: patience)
        while let reply = try connection.nextReply(seconds: end.seconds(since: MachineClock.now)) {
            let update = try reply.answer(as: WatchReply.self)
            try update.status?.requirePermission()
            last = update.status ?? last
            sky = update.satellites ?? sky
            if let location = update.location?.value {
                add("source", "\(location.source.name) delivers")
                if let device = location.source.device { add("device", device) }
                add("fix", Text.line(location, isReduced: last?.accuracy == .reduced))
                return
            }
            if last?.isHopeless == true { break }
        }
        explain(last, sky)
    }

    private mutating func explain(_ status: ServiceStatus?, _ sky: [Satellite]?) {
        switch status?.source {
        case .unavailable, .starting:
            fail("source", status?.reason ?? "it does not answer", advice: Hardware.advice(for: status?.reason))
        case .searching where status?.reason != nil:
            add("source", "it answers")
            fail("device", status?.reason ?? "", advice: Hardware.advice(for: status?.reason))
        case .lost where status?.reason != nil:
            fail("source", status?.reason ?? "", advice: nil)
        case nil, .stopped, .unknown:
            fail("source", "the daemon told nothing in time", advice: "give it more by --patience SECONDS")
        default:
            add("source", "it can be heard")
            if status?.accuracy == .reduced { return awaitReduced() }
            explainSky(sky)
        }
    }

    private mutating func explainSky(_ sky: [Satellite]?) {
        guard let sky else {
            return fail("fix", "none yet; the receiver tells nothing of satellites", advice: Self.clearView)
        }
        let signals = sky.compactMap(\.signal)
        let heard = signals.isEmpty ? "" : ", \(signals.count { $0 > 0 }) of them heard"
        let finding = "\(sky.count) in view\(heard)"
        if sky.isEmpty || !signals.isEmpty && signals.allSatisfy({ $0 <= 0 }) {
            return fail("satellites", finding, advice: Self.clearView)
        }
        add("satellites", finding)
        fail("fix", "none yet", advice: Self.clearView)
    }

    /// Nothing of satellites is told to those who get reduced locations.
    private mutating func awaitReduced() {
        fail(
            "fix", "none is given out yet; with reduced accuracy that is \(Text.reduction)",
            advice: "wait, or ask an administrator for full accuracy: `sudo locctl authorize \(PrincipalText.caller)`")
    }
}
