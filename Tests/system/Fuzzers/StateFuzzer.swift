import LocationHub
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
@_spi(Programs) import RegionMonitoring
import Varlink

@testable import Authorization
@_spi(Programs) @testable import locationd

/// What a disk gives back of what was kept: decisions, state, monitors and a line of the audit. The same bytes are
/// tried as each of them, as decisions and state also with a checksum that fits.
///
/// Rules: what is read can be written, and then reads the same; no changed bit of the decisions passes; the daemon
/// starts with whatever it reads, and its numbers go on rising.
func fuzzState(_ input: [UInt8]) {
    fuzzDecisions(input)
    fuzzDecisions(DecisionTable.sealed(input))
    let kept = fuzzMonitors(input)
    let state = fuzzSaved(input) ?? fuzzSaved(Checksum.sealed(Array(input.dropFirst())))
    start(with: state ?? SavedState(), kept: kept)
    if let record = AuditRecord(line: input), let line = record.line {
        Tally.count(.records)
        let again = require(AuditRecord(line: line), "history: a line that was written can be read")
        require(again.line == line, "history: \(record) becomes \(again)")
    }
}

private func fuzzDecisions(_ bytes: [UInt8]) {
    guard let table = try? DecisionTable(decoding: bytes) else { return }
    Tally.count(.decisions)
    let again = require("decisions: what was read can be written and read") {
        try DecisionTable(decoding: table.encoded())
    }
    require(again == table, "decisions: \(table.entries) became \(again.entries)")
    require(table.entries[.uid(Principal.overflowUID)] == nil, "decisions: nothing is decided about nobody")
    var changed = bytes
    let place = bytes.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF } % bytes.count
    changed[place] ^= 1 << UInt8(place % 8)
    require((try? DecisionTable(decoding: changed)) == nil, "decisions: a changed bit at \(place) is noticed")
}

private func fuzzSaved(_ bytes: [UInt8]) -> SavedState? {
    guard let state = try? SavedState(bytes) else { return nil }
    Tally.count(.states)
    let again = require("state: what was read can be written and read") { try SavedState(state.encoded()) }
    let written = require("state: what was read can be written") { try state.encoded() }
    let twice = require("state: what was read can be written") { try again.encoded() }
    require(written == twice, "state: what is written does not change")
    return state
}

private func fuzzMonitors(_ bytes: [UInt8]) -> [PersistedMonitor] {
    guard let saved = try? SavedMonitors(bytes) else { return [] }
    Tally.count(.monitors)
    let again = require("monitors: what was read can be written and read") { try SavedMonitors(saved.encoded()) }
    let written = require("monitors: what was read can be written") { try saved.encoded() }
    let twice = require("monitors: what was read can be written") { try again.encoded() }
    require(written == twice, "monitors: what is written does not change")
    return saved.monitors(now: now, wallClock: wallClock, bootID: bootID)
}

private let now = BootInstant(seconds: 1000)
private let wallClock = UTCTime(seconds: 1_800_000_000)
private let bootID = "b"

/// The daemon starts with what was kept; whoever kept monitors takes them up, and fixes come in.
private func start(with state: SavedState, kept: [PersistedMonitor]) {
    let last = state.lastLocation(now: now, wallClock: wallClock, bootID: bootID)
    if let last {
        require(last.monotonicTime <= now, "state: the last location is not of the future")
        check(last, from: "state")
    }
    let reduction = state.reduction.map { ReducedAccuracy($0) }
    if last == nil, reduction == nil, kept.isEmpty { return }
    var hub = Hub(
        settings: HubSettings(), sources: ["receiver"], isEnabled: true, sequenceStart: state.sequenceLimit,
        lastLocation: last, reduction: reduction, monitors: kept, at: now, generator: FixedChance())
    for monitor in kept {
        let request = MonitorRequest(name: monitor.name)
        _ = try? hub.addMonitor(
            request, of: MonitorOwner(uid: monitor.owner), permission: Permission(.authorizedAlways), at: now,
            bind: { _ in })
    }
    _ = hub.addWatch(WatchRequest(), permission: Permission(.authorizedAlways, accuracy: .reduced), at: now) { _ in }
    var sequence = hub.lastSequence
    for (seconds, isAway) in [(1, false), (2, false), (70, false), (700, false), (701, true), (800, true)] {
        let time = now.advanced(bySeconds: Double(seconds))
        let here = kept.first?.memory.visit?.visit.coordinate ?? last?.coordinate
        let place = isAway ? Coordinate(latitude: 48.1234567, longitude: 11.7654321) : here
        guard let place else { continue }
        var fix = Location(
            coordinate: place, mode: .threeDimensional, monotonicTime: time, source: SourceInformation(name: "r"))
        (fix.horizontalAccuracy, fix.timestamp) = (5, UTCTime(seconds: wallClock.seconds + Int64(seconds)))
        for action in hub.applyEvent(.fix(fix), from: 0, at: time) { check(action) }
        require(hub.lastSequence > sequence, "state: numbers rise, \(sequence) to \(hub.lastSequence)")
        sequence = hub.lastSequence
        _ = hub.advance(to: time)
    }
    checkKept(&hub)
}

private func check(_ action: HubAction) {
    guard case .reply(_, let update) = action else { return }
    let region = update.region.map { RegionReportOnWire($0, at: now) }
    _ = require("state: what is told of monitors can be written") {
        try MessageEncoder().reply(MonitorReply(region: region, visit: update.visit))
    }
    guard let location = update.location else { return }
    require(location.speed == nil && location.altitude == nil, "state: what is told roughly is rough")
    require((location.horizontalAccuracy ?? -1) > 0, "state: what is told roughly says how roughly")
}

/// What would be kept at the end can be read again.
private func checkKept(_ hub: inout Hub) {
    let saved = SavedMonitors(hub.monitorsToPersist().0, bootID: bootID, savedAt: wallClock, monotonicTime: now)
    _ = require("monitors: what the hub keeps can be read") { try SavedMonitors(saved.encoded()) }
    guard let reduction = hub.reduction else { return }
    var state = SavedState()
    state.reduction = reduction.memory
    _ = require("state: what the hub keeps can be read") { try SavedState(state.encoded()) }
}
