import GPSDProtocol
@_spi(Programs) import LocationModel

@testable import GPSDSource

/// What libgps, the decoder of nearly all clients, makes of a fix that the bridge writes.
func checkReading(of location: Location) {
    Tally.count(.positions)
    let line = GPSDReport(location).bytes(in: .json)
    let text = String(decoding: line, as: UTF8.self)
    let read = fix(in: line, of: location)
    let (place, place2) = (location.coordinate, read.coordinate)
    require(
        abs(place.latitude - place2.latitude) < 1e-9 && abs(place.longitude - place2.longitude) < 1e-9,
        "bridge: \(text) is where the fix is")
    require(
        read.mode == location.mode && read.source.device == location.source.gpsdDevice, "bridge: \(text) is the fix")
    let second = GPSDReport(read).bytes(in: .json)
    // The magnetic course of the first was computed with more decimals than it shows.
    let third = GPSDReport(fix(in: second, of: location)).bytes(in: .json)
    require(second == third, "bridge: \(text) becomes \(String(decoding: third, as: UTF8.self))")
}

/// The same of a view of the sky.
func checkReading(of sky: SkyView) {
    Tally.count(.skies)
    let line = GPSDReport(sky).bytes(in: .json)
    let text = String(decoding: line, as: UTF8.self)
    guard case .sky(let read)? = report(in: line) else { return require(false, "bridge: libgps reads \(text)") }
    var view = SkyView(read.satellites ?? [], device: read.device)
    (view.hdop, view.vdop, view.pdop) = (read.hdop, read.vdop, read.pdop)
    require(GPSDReport(view).bytes(in: .json) == line, "bridge: \(text) is read as \(view)")
}

private func fix(in line: [UInt8], of location: Location) -> Location {
    let text = String(decoding: line, as: UTF8.self)
    guard case .position(let report)? = report(in: line) else { return require(nil, "bridge: libgps reads \(text)") }
    var spoilt = 0
    let verdict = report.verdict(source: location.source.name, at: location.monotonicTime, spoilt: &spoilt)
    guard case .fix(let read) = verdict else { return require(nil, "bridge: \(text) is a fix") }
    require(spoilt == 0, "bridge: \(text) has no number that cannot be")
    return read
}

private func report(in line: [UInt8]) -> Report? {
    let content = Array(line.dropLast(2))
    guard case .report(let kind, let facts) = MessageGate.passage(for: content) else { return nil }
    return Unpacker().unpack(content, as: kind, facts: facts)
}
