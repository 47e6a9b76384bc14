@_spi(Programs) public import LocationModel
import Varlink

extension Aged<Location> {
    /// Encodes a reply of a watch with nothing but this location. The result equals that of encoding a ``WatchReply``;
    /// it is written by hand because every fix passes through it.
    ///
    /// - Returns: `nil` if a number is not finite.
    @_spi(Programs) public func watchReply() -> [UInt8]? {
        var writing = LocationWriting(age: age)
        writing.text.begin("location")
        var location = value
        location.visitMembers(&writing)
        writing.text.end()
        return writing.text.finish()
    }
}

private struct LocationWriting: LocationMemberVisitor, ~Copyable {
    var text = ReplyText(capacity: 768)
    let age: Double

    mutating func visit(_ name: StaticString, _ value: inout Double?) { text.add(name, value) }
    mutating func visit(_ name: StaticString, _ value: inout Int?) { text.add(name, value) }
    mutating func visit(_ name: StaticString, _ value: inout (some OpenEnumeration)?) {
        text.add(name, value?.rawValue)
    }
    mutating func visit(_ name: StaticString, _ value: inout ErrorEllipse?) {
        guard let ellipse = value else { return }
        text.begin(name)
        text.add("isStandardDeviation", ellipse.isStandardDeviation)
        text.add("orientation", ellipse.orientation)
        text.add("semiMajorAxis", ellipse.semiMajorAxis)
        text.add("semiMinorAxis", ellipse.semiMinorAxis)
        text.end()
    }
    mutating func visit(_ name: StaticString, _ value: inout UTCTime?) { text.add(name, value?.description) }
    mutating func visit(_ name: StaticString, flag: inout Bool) { if flag { text.add(name, true) } }
    mutating func visit(_ coordinate: inout Coordinate) {
        text.add("latitude", coordinate.latitude)
        text.add("longitude", coordinate.longitude)
    }
    mutating func visit(_ name: StaticString, always mode: inout FixMode) { text.add(name, mode.rawValue) }
    mutating func visit(_ name: StaticString, always time: inout BootInstant) { text.add(name, time.seconds) }
    mutating func visit(_ name: StaticString, always number: inout Int64) { text.add(name, number) }
    mutating func visit(_ name: StaticString, always source: inout SourceInformation) {
        text.begin(name)
        text.add("device", source.device)
        text.add("isReplayed", source.isReplayed)
        text.add("isSimulated", source.isSimulated)
        if source.method != .unknown { text.add("method", source.method.rawValue) }
        text.add("name", source.name)
        text.end()
    }
    mutating func visitAge() { text.add("age", age) }
}
