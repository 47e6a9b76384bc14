@_spi(Programs) import LocationModel

/// Calls as clients write them.
enum CallText {
    static func watch(_ request: WatchRequest) -> String {
        var fields: [String] = []
        func add(_ name: String, _ value: Any?) { if let value { fields.append("\"\(name)\":\(value)") } }
        add("distanceFilter", request.distanceFilter)
        add("minimumInterval", request.minimumInterval)
        add("requiredAccuracy", request.requiredAccuracy)
        add("interval", request.interval)
        add("maximumDelay", request.maximumDelay)
        add("activityType", request.activityType.map { "\"\($0.rawValue)\"" })
        if request.pausesAutomatically { add("pausesAutomatically", true) }
        add("maximumUpdates", request.maximumUpdates)
        add("location", request.location)
        add("heading", request.heading)
        add("satellites", request.satellites)
        add("passive", request.passive)
        add("everySource", request.everySource)
        if request.estimate { add("estimate", true) }
        return call("org.locationd.location.Watch", fields.joined(separator: ","), more: true)
    }

    /// The same call, made by a bridge for a program of that user.
    static func served(_ call: String, uid: UInt32) -> String {
        let member = #""onBehalfOf":{"uid":\#(uid),"label":"gpsd client"}"#
        let parameters = #""parameters":{"#
        guard let range = call.firstRange(of: parameters) else { return call }
        let rest = call[range.upperBound...]
        return call[..<range.upperBound] + member + (rest.first == "}" ? "" : ",") + rest
    }

    static func call(_ method: String, _ fields: String = "", more: Bool = false) -> String {
        #"{"method":"\#(method)","more":\#(more),"parameters":{\#(fields)}}"#
    }
}
