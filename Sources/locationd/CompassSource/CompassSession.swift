@_spi(Programs) import LocationModel
@_spi(Programs) import SystemSupport

/// The exchange with iio-sensor-proxy over one connection: messages and the time go in, steps come out.
///
/// The proxy sends a heading only when it changes. While it sends none, its properties are read once a second: the
/// heading stays fresh that way, and a proxy that hangs is noticed.
struct CompassSession {
    /// Seconds without a heading after which the properties are read.
    static let readInterval = 1.0
    /// Seconds to wait for a reply; the first one may have to wait until the proxy is started.
    static let (firstReplyTimeout, replyTimeout) = (25.0, 5.0)

    enum Step: Equatable {
        case send(CompassCall)
        case emit(SourceEvent)
        /// Counts something that is no fault.
        case count(String, Int)
        /// Counts something unusable, which is reported.
        case note(String, example: String)
        /// The connection has to be closed.
        case fail(CompassFailure)
    }

    /// The calls without a reply, by cookie.
    private var calls: [UInt64: (call: CompassCall, deadline: BootInstant)] = [:]
    /// The proxy's unique name: only its headings count, because any program may send signals to us. `nil` until the
    /// compass is claimed.
    private var owner: String?
    private var rate = NewestRate<Heading>()
    /// When the properties are read next, if no heading comes before.
    private var nextRead: BootInstant

    init(at now: BootInstant) {
        nextRead = now.advanced(bySeconds: Self.readInterval)
    }

    func begin(at now: BootInstant) -> [Step] {
        [.send(.watchOwner), .send(.watchProperties), .send(.claim)]
    }

    /// A call was sent and has this cookie.
    mutating func sent(_ call: CompassCall, as cookie: UInt64, at now: BootInstant) {
        let timeout = call == .claim ? Self.firstReplyTimeout : Self.replyTimeout
        calls[cookie] = (call, now.advanced(bySeconds: timeout))
    }

    /// When ``advance(to:)`` is due.
    var deadline: BootInstant {
        let reading = owner == nil || isReading ? nil : nextRead
        let candidates = calls.values.map(\.deadline) + [rate.deadline, reading].compactMap { $0 }
        return candidates.min() ?? nextRead
    }

    mutating func advance(to now: BootInstant) -> [Step] {
        if calls.values.contains(where: { $0.deadline <= now }) { return [.fail(.silent)] }
        var steps = rate.release(at: now).map { [Step.emit(.heading($0, device: nil, at: now))] } ?? []
        if owner != nil, !isReading, nextRead <= now { steps.append(.send(.getProperties)) }
        return steps
    }

    mutating func receive(_ message: CompassMessage, at now: BootInstant) -> [Step] {
        switch message {
        case .reply(let cookie, let sender, let properties):
            switch calls.removeValue(forKey: cookie)?.call {
            case .claim:
                // The bus names the sender of each message.
                guard let sender else { return [.fail(.unsupported)] }
                owner = sender
                return [.send(.getProperties)]
            case .getProperties:
                guard let properties else { return [.note("malformed", example: "properties of another signature")] }
                return apply(properties, isReply: true, at: now)
            case .watchOwner, .watchProperties, .release, nil: return []
            }
        case .error(let cookie, let name, let message):
            guard let call = calls.removeValue(forKey: cookie)?.call, call != .release else { return [] }
            return [.fail(CompassFailure(error: name, message: message))]
        case .propertiesChanged(let sender, let properties):
            // Before the claim is answered it is not known who the proxy is.
            guard let owner else { return [] }
            guard sender == owner else { return [.note("foreign", example: "a heading of another program")] }
            return apply(properties, isReply: false, at: now)
        case .ownerChanged(let new):
            guard let owner, new != owner else { return [] }
            return [.fail(.proxyGone)]
        case .other: return []
        }
    }

    private var isReading: Bool { calls.values.contains { $0.call == .getProperties } }

    private mutating func apply(_ properties: CompassProperties, isReply: Bool, at now: BootInstant) -> [Step] {
        // A reply that has neither is that of an object without these properties.
        if properties.hasCompass == false { return [.fail(.noCompass)] }
        var steps: [Step] = []
        if properties.isMalformed { steps.append(.note("malformed", example: "a property of another type")) }
        if isReply || properties.heading != nil { nextRead = now.advanced(bySeconds: Self.readInterval) }
        guard let degrees = properties.heading else {
            return steps + (isReply && !properties.isMalformed ? [.fail(.unsupported)] : [])
        }
        // What the proxy sends while it knows no heading.
        if degrees == -1 { return steps + [.emit(.condition(.connected(reason: "the compass has no heading yet")))] }
        guard (0...360).contains(degrees) else {
            return steps + [.note("impossible", example: "a heading outside 0 to 360")]
        }
        var heading = Heading()
        heading.magneticHeading = degrees == 360 ? 0 : degrees
        steps.append(.emit(.condition(.connected(reason: nil))))
        if rate.isFlood(at: now) {
            steps.append(.note("floods", example: "more than \(NewestRate<Heading>.flood) headings in a second"))
        }
        let (verdict, passesOver) = rate.admit(heading, at: now)
        if passesOver { steps.append(.count("coalesced", 1)) }
        if verdict == .deliver { steps.append(.emit(.heading(heading, device: nil, at: now))) }
        return steps
    }
}
