@_spi(Programs) import LocationModel
@_spi(Programs) import SystemSupport

@_spi(Programs) @testable import GPSDSource

/// What a gpsd, or what pretends to be one, sends. Unless it begins with a greeting, it comes after one, in the stream
/// of reports.
///
/// Rules: a location, a sky or a heading that gets through has numbers that can be; where the stream was cut on its way
/// makes no difference; what is shown to people is printable.
func fuzzGPSD(_ input: [UInt8]) {
    let stream = input.starts(with: greeting.prefix(17)) ? input : greeting + input
    let whole = steps(of: [stream[...]])
    require(whole == steps(of: pieces(of: stream)), "gpsd: what is understood does not depend on the cuts")
    for line in stream.split(separator: 0x0A) { checkCounts(of: Array(line)) }
    for step in whole {
        switch step {
        case .emit(let event): check(event)
        case .count(_, let example): require(isPrintable(Printable.line(example)), "gpsd: an example is printable")
        case .fail(let failure):
            Tally.count(.failures)
            require(isPrintable(failure.reason(for: endpoint)), "gpsd: a failure's reason is printable")
        case .send(let line): require(line.hasSuffix(";\n"), "gpsd: a command has an end")
        }
    }
}

/// What is read of a view of the sky without libgps is what libgps reads. It may be more, because libgps stops without
/// a word where it does not understand something, such as an overlong name.
private func checkCounts(of line: [UInt8]) {
    // Text that is not ASCII is repaired in different ways.
    guard line.allSatisfy({ $0 < 0x80 }), case .report(.sky, let facts) = MessageGate.passage(for: line),
        let counted = SkyReport(counted: facts, in: line),
        case .sky(let read)? = Unpacker().unpack(line, as: .sky, facts: facts)
    else { return }
    func agrees(_ one: Double?, _ other: Double?) -> Bool {
        guard let one else { return true }
        return other.map { abs(one - $0) <= 1e-9 * (1 + abs(one)) } ?? false
    }
    require(
        agrees(read.hdop, counted.hdop) && agrees(read.vdop, counted.vdop) && agrees(read.pdop, counted.pdop),
        "gpsd: the dilutions are those that libgps reads: \(counted) \(read)")
    require(read.device == nil || read.device == counted.device, "gpsd: the device is libgps': \(counted) \(read)")
    if let few = read.counts, let all = counted.counts {
        require(
            few.visible <= all.visible && few.used <= all.used,
            "gpsd: no fewer satellites than libgps': \(counted) \(read)")
    }
}

private let endpoint = GPSDEndpoint()
private let greeting = Array(
    (#"{"class":"VERSION","release":"3.22"}"# + "\n" + #"{"class":"DEVICES","devices":[{"path":"/dev/ttyACM0"}]}"#
        + "\n" + #"{"class":"WATCH","enable":true,"json":true}"# + "\n").utf8)

/// What is done about the lines up to the one that ends the connection, 3 s apart.
private func steps(of pieces: [ArraySlice<UInt8>]) -> [Conversation.Step] {
    var now = BootInstant(seconds: 1000)
    var conversation = Conversation(source: "gpsd", endpoint: endpoint, silenceTimeout: 20, at: now)
    var splitter = LineSplitter.gpsd()
    var steps: [Conversation.Step] = []
    var hasFailed = false
    for piece in pieces {
        piece.withUnsafeBytes { bytes in
            splitter.split(bytes) { line in
                guard !hasFailed else { return }
                now = now.advanced(bySeconds: 3)
                let new = conversation.receive(line, at: now)
                steps += new
                hasFailed = new.contains { if case .fail = $0 { true } else { false } }
            }
        }
    }
    return steps
}

private func check(_ event: SourceEvent) {
    switch event {
    case .fix(let location):
        Tally.count(.locations)
        check(location, from: "gpsd")
        checkRoundTrip(of: location, from: "gpsd")
        require(location.mode != .unknown && location.augmentation != .unknown, "gpsd: what is known has a name")
        check(device: location.source.device)
    case .position: require(false, "gpsd: its fixes are measured as they arrive")
    case .satellites(let satellites, let device, _):
        Tally.count(.skies)
        check(satellites, from: "gpsd")
        check(device: device)
    case .satelliteCounts(let counts, let device, _):
        require(0 <= counts.used && counts.used <= counts.visible, "gpsd: no more satellites are used than seen")
        check(device: device)
    case .heading(let heading, let device, _):
        Tally.count(.headings)
        check(heading, from: "gpsd")
        check(device: device)
    case .noFix(let device): check(device: device)
    case .condition(let condition):
        require(isPrintable(condition.reason ?? ""), "gpsd: a reason is printable")
    case .anomaly(_, _, let example): require(isPrintable(example), "gpsd: an example is printable")
    }
}

private func check(device: String?) {
    require(isPrintable(device ?? "") && device != "", "gpsd: a device's name is printable")
}

private func isPrintable(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
}
