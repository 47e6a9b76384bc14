@_spi(Programs) import SystemSupport

/// Reads requests from the bytes of one client, in pieces of any size. It never buffers more than one line of
/// ``longestLine`` bytes.
///
/// It accepts what gpsd accepts, and besides: blanks before a request, and any request without its `;` at the end of a
/// line. gpsd takes what it reads at once for a line. Here a request may come in many pieces, so the line ends with a
/// `;` at the end of what has arrived, or where a request's object is closed there, whatever blanks follow: many
/// clients send nothing after the object. What else has no end is read at ``endLine()``. Where gpsd says nothing, about
/// lines that begin with another character than `?`, it refuses.
package struct GPSDRequestParser: Sendable {
    /// Bytes of a line without its line feed.
    package static let longestLine = 4096
    /// Answers are far longer than requests: a line of more is refused from here on.
    package static let mostRequestsPerLine = 16

    private var lines = LineSplitter(limit: longestLine, overlong: .skip, omitsEmptyLines: true)
    private var position = RequestPosition()

    package init() {}

    /// Whether a request has begun and has no end yet.
    package var isWithinRequest: Bool { position.hasContent && position.length <= Self.longestLine }

    /// The requests that these bytes complete, in order.
    package mutating func receive(_ bytes: UnsafeRawBufferPointer) -> [GPSDRequest] {
        var requests: [GPSDRequest] = []
        split(bytes, into: &requests)
        for byte in bytes { position.advance(over: byte) }
        if position.isComplete, position.length <= Self.longestLine { endLine(isCut: false, into: &requests) }
        return requests
    }

    /// Nothing more comes of the line for now: the requests in it. One without its `;` is unknown, as it is to gpsd.
    package mutating func endLine() -> [GPSDRequest] {
        var requests: [GPSDRequest] = []
        if isWithinRequest { endLine(isCut: true, into: &requests) }
        return requests
    }

    private mutating func endLine(isCut: Bool, into requests: inout [GPSDRequest]) {
        position = RequestPosition()
        withUnsafeBytes(of: UInt8(ascii: "\n")) { split($0, isCut: isCut, into: &requests) }
    }

    private mutating func split(
        _ bytes: UnsafeRawBufferPointer, isCut: Bool = false, into requests: inout [GPSDRequest]
    ) {
        lines.split(bytes) { line in
            Self.parse(line, isCut: isCut, into: &requests)
        } overlong: {
            requests.append(.refused("A line is longer than \(Self.longestLine) bytes"))
        }
    }

    /// - Parameter isCut: the line has no end.
    private static func parse(_ line: [UInt8], isCut: Bool, into requests: inout [GPSDRequest]) {
        var rest = line[...]
        var count = 0
        while true {
            rest = rest.drop { $0.isBlank || $0 == UInt8(ascii: ";") }
            guard !rest.isEmpty else { return }
            guard count < mostRequestsPerLine else {
                return requests.append(.refused("More than \(mostRequestsPerLine) requests on one line"))
            }
            count += 1
            guard let request = request(from: &rest, isCut: isCut) else {
                let shown = String(decoding: rest.prefix(longestQuotation), as: UTF8.self)
                return requests.append(.refused("Unrecognized request '\(shown)'"))
            }
            requests.append(request)
        }
    }

    /// Bytes of an unknown request that are quoted.
    private static let longestQuotation = 80

    /// Removes a request from the beginning of `rest`; what follows one that cannot be read is removed with it.
    /// - Returns: `nil` for an unknown request, which is not removed.
    private static func request(from rest: inout ArraySlice<UInt8>, isCut: Bool) -> GPSDRequest? {
        guard rest.first == UInt8(ascii: "?") else { return nil }
        let name = rest.dropFirst().prefix { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
        let plain: GPSDRequest
        var takesObject = false
        switch String(decoding: name, as: UTF8.self) {
        case "VERSION": plain = .version
        case "POLL": plain = .poll
        case "DEVICES": plain = .devices
        case "WATCH": (plain, takesObject) = (.watch(nil), true)
        case "DEVICE": (plain, takesObject) = (.device(path: nil), true)
        default: return nil
        }
        let tail = rest[name.endIndex...].drop(while: \.isBlank)
        guard !tail.isEmpty || !isCut else { return nil }
        guard let mark = tail.first, mark != UInt8(ascii: ";") else {
            rest = tail.dropFirst()
            return plain
        }
        guard takesObject, mark == UInt8(ascii: "=") else { return nil }
        rest = tail.dropFirst().drop(while: \.isBlank)
        let isWatch = plain == .watch(nil)
        let subject = isWatch ? "WATCH" : "DEVICE"
        let object: RequestObject
        // As gpsd reads it, nothing is an empty object.
        if rest.isEmpty || rest.first == UInt8(ascii: ";") {
            object = RequestObject()
        } else {
            do throws(RequestFault) {
                object = try RequestObject(from: &rest)
            } catch {
                rest = []
                return .refused("Invalid \(subject): \(error.reason)")
            }
        }
        do throws(RequestFault) {
            return isWatch ? .watch(try WatchChange(object)) : try deviceRequest(object)
        } catch {
            return .refused("Invalid \(subject): \(error.reason)")
        }
    }

    /// Other settings are answered with the device as it is: gpsd, too, tells what they are afterwards, changed or not.
    private static func deviceRequest(_ object: RequestObject) throws(RequestFault) -> GPSDRequest {
        guard !object.members.contains(where: { $0.name == "hexdata" }) else {
            throw RequestFault("'hexdata' cannot be sent from here; devices are only reported")
        }
        return .device(path: try object.text("path"))
    }
}

extension WatchChange {
    /// Unknown members are ignored.
    init(_ object: RequestObject) throws(RequestFault) {
        enable = try object.flag("enable") ?? true
        json = try object.flag("json")
        nmea = try object.flag("nmea")
        raw = try object.level("raw")
        scaled = try object.flag("scaled")
        timing = try object.flag("timing")
        split24 = try object.flag("split24")
        pps = try object.flag("pps")
        device = try object.text("device").flatMap { $0.isEmpty ? nil : $0 }
    }
}

extension UInt8 {
    /// A space, or a control character that C counts as one.
    var isBlank: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
}
