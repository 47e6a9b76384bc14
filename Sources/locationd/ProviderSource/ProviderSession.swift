@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
@_spi(Programs) import SystemSupport
import Varlink

/// The exchange with a provider over one connection: bytes and the time go in, steps come out. It does no I/O.
struct ProviderSession {
    enum Step: Equatable {
        case emit(SourceEvent)
        /// Counts something that is no fault.
        case count(String)
        /// Counts something unusable, which is reported.
        case note(String, example: String)
        /// The connection has to be closed.
        case fail(ProviderFailure)
    }

    /// Seconds within which the first reply is due.
    static let replyTimeout = 30.0
    /// Bytes of one message.
    static let messageLimit = 65_536
    /// Metres: a position with a larger radius is rejected.
    static let accuracyLimit = 1_000_000.0
    /// Seconds by which a measurement that is sent again may seem older: by its age, and by how long it was on its way.
    static let jitter = 0.25
    /// Seconds: a position that is older is of no use.
    static let ageLimit = 86_400.0
    /// Bytes of a reason that are shown.
    static let reasonLimit = 200

    private let source: String
    private let method: ProviderEndpoint.Method
    private var buffer = MessageBuffer(limit: Self.messageLimit)
    private var rate = NewestRate<Location>()
    /// When the newest position was measured; an older one that comes later is not used.
    private var newest: BootInstant?
    /// When the first reply is due; `nil` once it has come.
    private var replyDue: BootInstant?

    init(source: String, method: ProviderEndpoint.Method, at now: BootInstant) {
        (self.source, self.method) = (source, method)
        replyDue = now.advanced(bySeconds: Self.replyTimeout)
    }

    /// The call that begins the exchange.
    /// - Parameter accuracy: metres that suffice; `nil` for the best, as of a number that JSON does not have.
    static func call(desiredAccuracy accuracy: Double? = nil) -> [UInt8] {
        let request = ProviderInterface.LocateRequest(desiredAccuracy: accuracy.flatMap { $0.isFinite ? $0 : nil })
        return (try? MessageEncoder().call(ProviderInterface.Method.locate, request, more: true)) ?? []
    }

    /// When ``advance(to:)`` is due; `nil` for never.
    var deadline: BootInstant? { [replyDue, rate.deadline].compactMap(\.self).min() }

    mutating func advance(to now: BootInstant) -> [Step] {
        if let replyDue, replyDue <= now { return [.fail(.silent)] }
        return rate.release(at: now).map { [.emit(event($0, at: now))] } ?? []
    }

    mutating func receive(_ bytes: some Collection<UInt8>, at now: BootInstant) -> [Step] {
        buffer.append(bytes)
        var steps: [Step] = []
        while let message = buffer.next() {
            steps += receive(message: message, at: now)
            if case .fail = steps.last { return steps }
        }
        return buffer.isOverfull ? steps + [.fail(.garbage)] : steps
    }

    private mutating func receive(message: [UInt8], at now: BootInstant) -> [Step] {
        guard let reply = try? Reply(message) else { return [.fail(.garbage)] }
        if let error = reply.error { return [.fail(.errorReply(error))] }
        replyDue = nil
        var steps: [Step] = []
        if rate.isFlood(at: now) {
            steps.append(.note("floods", example: "more than \(NewestRate<Location>.flood) replies in a second"))
        }
        do {
            let parameters: ProviderInterface.LocateReply = try reply.parameters()
            steps += apply(parameters, at: now)
        } catch {
            steps.append(.note("malformed", example: "\(error)"))
        }
        return reply.continues ? steps : steps + [.fail(.ended)]
    }

    private mutating func apply(_ reply: ProviderInterface.LocateReply, at now: BootInstant) -> [Step] {
        guard let position = reply.position else {
            let reason = reply.reason?.shortened(toBytes: Self.reasonLimit).escapingUnprintable()
            return [
                .emit(.condition(.connected(reason: reason ?? "the provider has no position, and says no reason"))),
                .emit(.noFix(device: nil)),
            ]
        }
        var location: Location
        do throws(Unusable) {
            location = try self.location(position, at: now)
        } catch {
            return [.note("impossible", example: error.reason)]
        }
        if let newest, location.monotonicTime < newest {
            guard newest.seconds(since: location.monotonicTime) <= Self.jitter else { return [.count("outdated")] }
            location.monotonicTime = newest
        }
        newest = location.monotonicTime
        var steps: [Step] = [.emit(.condition(.connected(reason: nil)))]
        let (verdict, passesOver) = rate.admit(location, at: now)
        if passesOver { steps.append(.count("coalesced")) }
        if verdict == .deliver { steps.append(.emit(event(location, at: now))) }
        return steps
    }

    /// A position by radio stations holds until there is another one; what moves does not.
    private func event(_ location: Location, at now: BootInstant) -> SourceEvent {
        method == .network ? .position(location, arrived: now) : .fix(location)
    }

    /// Why a position cannot be used.
    private struct Unusable: Error {
        let reason: String
    }

    private func location(_ position: ProviderInterface.Position, at now: BootInstant) throws(Unusable) -> Location {
        guard let coordinate = Coordinate(latitude: position.latitude, longitude: position.longitude) else {
            throw Unusable(reason: "a position that is not on the Earth")
        }
        guard position.horizontalAccuracy > 0, position.horizontalAccuracy <= Self.accuracyLimit else {
            throw Unusable(reason: "a horizontalAccuracy of \(position.horizontalAccuracy)")
        }
        let age = position.age ?? 0
        guard age >= 0, age <= Self.ageLimit else { throw Unusable(reason: "an age of \(age)") }
        var location = Location(
            coordinate: coordinate, monotonicTime: now.advanced(bySeconds: -age),
            source: SourceInformation(name: source, method: method == .network ? .network : .gnss))
        location.horizontalAccuracy = position.horizontalAccuracy
        (location.altitude, location.verticalAccuracy) = (position.altitude, position.verticalAccuracy)
        (location.speed, location.course) = (position.speed, position.course)
        location.mode = position.altitude == nil ? .twoDimensional : .threeDimensional
        if method == .deadReckoning { location.augmentation = .deadReckoning }
        if let text = position.timestamp {
            guard let time = UTCTime(text) else { throw Unusable(reason: "a timestamp that is not of RFC 3339") }
            location.timestamp = time
        }
        let magnitudes = [location.speed, location.verticalAccuracy].compactMap(\.self)
        guard magnitudes.allSatisfy(Location.possibleMagnitudes.contains),
            location.altitude.map(Location.possibleHeights.contains) ?? true
        else { throw Unusable(reason: "a number beyond all that is possible") }
        if let field = location.firstImpossibleField { throw Unusable(reason: "a \(field) that cannot be") }
        return location
    }
}
