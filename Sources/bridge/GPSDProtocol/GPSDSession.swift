@_spi(Programs) package import LocationModel

/// The state of one client of gpsd's protocol, without I/O and without a clock: bytes and reports in, bytes out.
///
/// Send ``greeting`` when it connects, then what each method returns, in that order. Nothing is queued here: a
/// client that does not read is the caller's to handle, by leaving reports out or by closing the connection.
///
/// A report is encoded once, as a ``GPSDReport``, for every session that may know it. Sessions with the same ``forms``
/// and ``device`` are sent the same bytes.
package struct GPSDSession: Sendable {
    /// Why there are no reports, and whether the client knows.
    private enum Refusal {
        case none
        case pending(String)
        case sent(String)
    }

    /// What a session needs at present.
    package enum Demand: Int, Sendable, Comparable, CaseIterable {
        case nothing
        case locationsAndSatellites

        package static func < (one: Demand, other: Demand) -> Bool { one.rawValue < other.rawValue }
    }

    /// What the client is sent before anything else.
    package static var greeting: [UInt8] { GPSDReply.version }

    /// Whether what is sent has a length that says nothing; see ``Padding``.
    package let isPadded: Bool
    private var parser = GPSDRequestParser()
    private var policy = WatchPolicy()
    private var devices: [GPSDDevice]
    /// The latest report of each kind and device, for POLL; empty while nothing is watched.
    private var latest: [GPSDReport] = []
    private var refusal = Refusal.none

    /// - Parameters:
    ///   - devices: the receivers that are known already.
    ///   - isPadded: what is sent has a length that says nothing, for connections whose lengths other users can see.
    package init(devices: [GPSDDevice] = [], isPadded: Bool = false) {
        self.devices = devices
        self.isPadded = isPadded
    }

    /// The forms in which it is sent reports; none while it watches nothing, or only polls.
    package var forms: ReportForms { policy.forms }

    /// The one device that it has chosen.
    package var device: String? { policy.device }

    /// Satellites belong to each form, and a client that polls, that is, watches in no form, may ask for all.
    package var demand: Demand { policy.enable ? .locationsAndSatellites : .nothing }

    /// The latest reports that are kept: both of each device that libgps holds.
    private static let mostReports = 2 * GPSDReply.mostDevices
    /// Bytes after which an answer is ended.
    private static let longestAnswer = 65_536

    /// Answers what a client has sent. Answers are far longer than requests, so there is a limit: the requests after it
    /// are refused together. No program that reads answers reaches it, if the bytes are a few kilobytes at most.
    package mutating func receive(_ bytes: UnsafeRawBufferPointer, at now: UTCTime) -> [UInt8] {
        answer(to: parser.receive(bytes), at: now)
    }

    /// Whether what the client has sent so far ends within a request.
    package var isWithinRequest: Bool { parser.isWithinRequest }

    /// Answers the request of which nothing more comes: usually, as gpsd does, that it is not known.
    package mutating func endRequest(at now: UTCTime) -> [UInt8] {
        answer(to: parser.endLine(), at: now)
    }

    private mutating func answer(to requests: [GPSDRequest], at now: UTCTime) -> [UInt8] {
        var reply: [UInt8] = []
        for request in requests {
            guard reply.count < Self.longestAnswer else {
                return reply + padded(GPSDReply.error("Too many requests at once; read the answers first"))
            }
            reply += answer(to: request, at: now)
        }
        return reply
    }

    private mutating func answer(to request: GPSDRequest, at now: UTCTime) -> [UInt8] {
        switch request {
        case .version: return padded(GPSDReply.version)
        case .watch(nil): return padded(policyReply)
        case .watch(let change?): return applyWatch(change)
        case .poll: return pollReply(at: now)
        case .devices: return padded(GPSDReply.devices(devices))
        case .device(let path): return padded(deviceReply(path))
        case .refused(let sentence): return padded(GPSDReply.error(sentence))
        }
    }

    /// JSON that is no report, with a length that says nothing if the session is to.
    private func padded(_ lines: [UInt8]) -> [UInt8] {
        isPadded ? Padding.answer(lines) : lines
    }

    private var policyReply: [UInt8] { GPSDReply.devices(devices) + GPSDReply.watch(policy) }

    /// As gpsd does, it watches for an unknown device, too: it may appear.
    private mutating func applyWatch(_ change: WatchChange) -> [UInt8] {
        let was = policy
        policy.apply(change)
        if !policy.enable || policy.device != was.device { latest = [] }
        if policy.enable, let device = policy.device, !devices.contains(where: { $0.isNamed(device) }) {
            return padded(GPSDReply.error("No such device as \(device)")) + (was.enable ? [] : refusalReply())
        }
        return padded(policyReply) + (policy.enable && !was.enable ? refusalReply() : [])
    }

    /// As gpsd's, the answer to a client that watches nothing is empty.
    private func pollReply(at now: UTCTime) -> [UInt8] {
        let active = policy.enable ? devices.filter { $0.hasReported && isSelected($0.path) } : []
        var positions = latest.filter { $0.kind == .position }
        // Clients expect both of each device, whether it has reported to this session already or not.
        if !positions.contains(where: { $0.device == nil }) {
            let silent = active.filter { device in !positions.contains { $0.device == device.path } }
            positions += silent.prefix(max(0, Self.mostReports - positions.count)).map {
                .unknownPosition(device: $0.path)
            }
        }
        var skies = latest.filter { $0.kind == .sky }
        for position in positions where !skies.contains(where: { $0.device == position.device }) {
            skies.append(GPSDReport(SkyView([], device: position.device), isPadded: false))
        }
        let reply = GPSDReply.poll(at: now, active: active.count, positions: positions, skies: skies)
        return isPadded ? Padding.poll(reply) : reply
    }

    private func deviceReply(_ path: String?) -> [UInt8] {
        let named = devices.filter { device in path.map { $0.isEmpty || device.isNamed($0) } ?? true }
        guard !named.isEmpty else {
            return GPSDReply.error(path.map { "No such device as \($0)" } ?? "There is no device")
        }
        return named.prefix(GPSDReply.mostDevices).reduce(into: []) { $0 += GPSDReply.device($1) }
    }

    /// Whether a report of a device, or of no device, is for this client: of no device only where the chosen one is
    /// known.
    private func isSelected(_ path: String?) -> Bool {
        guard let chosen = policy.device, chosen != path else { return true }
        return devices.contains { (path == nil || $0.path == path) && $0.isNamed(chosen) }
    }

    /// Applies a fix, a view of the sky or the loss of a fix.
    ///
    /// - Returns: the report's own bytes in the forms that the client has asked for; nothing if it has asked for none,
    ///   or for another device.
    package mutating func applyReport(_ report: GPSDReport) -> [UInt8] {
        refusal = .none
        return isSelected(report.device) ? deliver(report) : []
    }

    private mutating func deliver(_ report: GPSDReport) -> [UInt8] {
        guard policy.enable else { return [] }
        latest.removeAll { $0.kind == report.kind && ($0.device == report.device || $0.device == nil) }
        // The devices that have been silent the longest make room.
        if latest.count >= Self.mostReports { latest.removeFirst() }
        latest.append(report)
        return report.bytes(in: forms, isPadded: isPadded)
    }

    /// The client may not know, or the daemon cannot be reached: it receives a TPV of mode 0, before the first of them
    /// the sentence as an ERROR, and forgets what POLL would have answered.
    ///
    /// Call it again to repeat the TPV; the sentence is sent again only when it changes, or after a report.
    package mutating func applyRefusal(_ sentence: String) -> [UInt8] {
        if case .sent(sentence) = refusal {} else { refusal = .pending(sentence) }
        latest = []
        return policy.enable ? refusalReply() : []
    }

    /// POLL answers with nothing until the next report: for a client that may from now on know less than before.
    package mutating func forgetReports() {
        latest = []
    }

    private mutating func refusalReply() -> [UInt8] {
        switch refusal {
        case .none: return []
        case .sent: return deliver(.unknown)
        case .pending(let sentence):
            refusal = .sent(sentence)
            return padded(GPSDReply.error(sentence)) + deliver(.unknown)
        }
    }

    /// Applies the list of devices: a client that watches in JSON is sent each that has appeared, changed or
    /// disappeared.
    package mutating func applyDevices(_ devices: [GPSDDevice]) -> [UInt8] {
        let former = self.devices
        self.devices = devices
        latest.removeAll { report in
            report.device != nil && !devices.contains { $0.path == report.device && $0.hasReported }
        }
        guard forms.contains(.json), former != devices else { return [] }
        // A receiver's path takes the place of its source's name, which has not reported.
        let gone = former.filter { old in
            let isName = old.isUnheard && old.activated == nil
            return !devices.contains { $0.path == old.path || isName && $0.name == old.name }
        }
        let changed = devices.filter { !former.contains($0) }
        let lost: [UInt8] = gone.reduce(into: []) { if isSelected($1.path) { $0 += GPSDReply.inactiveDevice($1) } }
        return padded(
            changed.reduce(into: lost) { reply, device in
                guard isSelected(device.path) else { return }
                reply += device.activated == nil ? GPSDReply.inactiveDevice(device) : GPSDReply.device(device)
            })
    }
}
