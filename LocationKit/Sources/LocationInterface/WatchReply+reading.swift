@_spi(Programs) import LocationModel
import Varlink

extension WatchReply {
    /// Reads a reply of a watch with nothing but a location or satellites, which more replies follow: what
    /// ``Aged/watchReply()`` and ``encoded(_:)`` write. The result equals that of decoding; it is read by hand because
    /// every fix passes through it.
    ///
    /// - Parameter message: one message without its NUL.
    /// - Returns: `nil` if it says anything else, or says it in another form: it is to be decoded then.
    @_spi(Programs) public init?(reading message: [UInt8]) {
        guard let reader = ReplyReader(message) else { return nil }
        var reading = LocationReading(reader: reader)
        if let location = reading.location() {
            self.init(location: location)
        } else if let satellites = reading.reader.satellites() {
            self.init(satellites: satellites)
        } else {
            return nil
        }
        guard reading.finish() else { return nil }
    }
}

private struct LocationReading: LocationMemberVisitor, ~Copyable {
    var reader: ReplyReader
    private var age: Double?
    /// False if a member is missing that has to be there, or has a value that it cannot have.
    private var isComplete = true

    init(reader: consuming ReplyReader) { self.reader = reader }

    /// - Returns: `nil` if there is none, or it is not complete.
    mutating func location() -> Aged<Location>? {
        guard reader.begin("location"), let placeholder = Coordinate(latitude: 0, longitude: 0) else { return nil }
        var location = Location(
            coordinate: placeholder, monotonicTime: BootInstant(nanoseconds: 0), source: SourceInformation(name: ""))
        location.visitMembers(&self)
        reader.end()
        guard isComplete, let age else { return nil }
        var aged = Aged(location, age: 0)
        // Rounded already, where it was written.
        aged.age = age
        return aged
    }

    consuming func finish() -> Bool { reader.finish() }

    /// Replaces a value by one that has to be there.
    private mutating func set<Value>(_ value: inout Value, _ read: Value?) {
        if let read { value = read } else { isComplete = false }
    }

    mutating func visit(_ name: StaticString, _ value: inout Double?) { value = reader.number(name) }
    mutating func visit(_ name: StaticString, _ value: inout Int?) { value = reader.integer(name) }
    mutating func visit<Name: OpenEnumeration>(_ name: StaticString, _ value: inout Name?) {
        value = reader.text(name).map { Name(rawValue: $0) ?? .unknown }
    }
    mutating func visit(_ name: StaticString, _ value: inout ErrorEllipse?) {
        guard reader.begin(name) else { return }
        let isStandardDeviation = reader.flag("isStandardDeviation")
        let orientation = reader.number("orientation")
        let (major, minor) = (reader.number("semiMajorAxis"), reader.number("semiMinorAxis"))
        reader.end()
        guard let isStandardDeviation, let orientation, let major, let minor,
            var ellipse = ErrorEllipse(
                semiMajorAxis: major, semiMinorAxis: minor, orientation: orientation,
                isStandardDeviation: isStandardDeviation)
        else { return isComplete = false }
        ellipse.orientation = orientation
        value = ellipse
    }
    mutating func visit(_ name: StaticString, _ value: inout UTCTime?) {
        guard let text = reader.text(name) else { return }
        value = UTCTime(text)
        if value == nil { isComplete = false }
    }
    mutating func visit(_ name: StaticString, flag: inout Bool) { flag = reader.flag(name) ?? false }
    mutating func visit(_ coordinate: inout Coordinate) {
        guard let latitude = reader.number("latitude"), let longitude = reader.number("longitude") else {
            return isComplete = false
        }
        set(&coordinate, Coordinate(latitude: latitude, longitude: longitude))
    }
    mutating func visit(_ name: StaticString, always mode: inout FixMode) {
        set(&mode, reader.text(name).map { FixMode(rawValue: $0) ?? .unknown })
    }
    mutating func visit(_ name: StaticString, always time: inout BootInstant) {
        set(&time, reader.number(name).map(BootInstant.init(seconds:)))
    }
    mutating func visit(_ name: StaticString, always number: inout Int64) { set(&number, reader.integer(name)) }
    mutating func visit(_ name: StaticString, always source: inout SourceInformation) {
        guard reader.begin(name) else { return isComplete = false }
        let device = reader.text("device")
        let (isReplayed, isSimulated) = (reader.flag("isReplayed"), reader.flag("isSimulated"))
        let given = reader.text("method").map { LocationMethod(rawValue: $0) ?? .unknown }
        let name = reader.text("name")
        reader.end()
        guard let isReplayed, let isSimulated, let name else { return isComplete = false }
        let method = isReplayed ? .replayed : given ?? (isSimulated ? .simulated : .unknown)
        source = SourceInformation(name: name, device: device, method: method, isSimulated: isSimulated)
    }
    mutating func visitAge() { age = reader.number("age") }
}
