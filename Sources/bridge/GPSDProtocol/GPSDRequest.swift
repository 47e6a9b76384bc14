/// What a client of gpsd's protocol asks.
package enum GPSDRequest: Sendable, Equatable {
    /// `?VERSION;`
    case version
    /// `?WATCH;`, or `?WATCH={…};` with what is to change.
    case watch(WatchChange?)
    /// `?POLL;`
    case poll
    /// `?DEVICES;`
    case devices
    /// `?DEVICE;`, or `?DEVICE={"path":…};` for one of them.
    case device(path: String?)
    /// What is refused, with the sentence for the client.
    case refused(String)
}

/// The members of a WATCH request; `nil` stands for one that is not given.
package struct WatchChange: Sendable, Equatable {
    /// Whether reports are wanted at all. It is true where it is not given, as with gpsd.
    package var enable = true
    package var json: Bool?
    package var nmea: Bool?
    /// 0 for none, 1 for sentences, 2 for what the receiver sends.
    package var raw: Int?
    package var scaled: Bool?
    package var timing: Bool?
    package var split24: Bool?
    package var pps: Bool?
    /// The one device whose reports are wanted. One that is not given ends an earlier choice, as with gpsd.
    package var device: String?

    package init() {}
}

/// A client's policy: what its WATCH requests have asked so far.
package struct WatchPolicy: Sendable, Equatable {
    package private(set) var enable = false
    package private(set) var json = false
    package private(set) var nmea = false
    package private(set) var raw = 0
    package private(set) var scaled = false
    package private(set) var timing = false
    package private(set) var split24 = false
    package private(set) var pps = false
    package private(set) var device: String?

    package init() {}

    /// Members that are not given keep their values, but `enable` and `device`.
    package mutating func apply(_ change: WatchChange) {
        enable = change.enable
        json = change.json ?? json
        nmea = change.nmea ?? nmea
        raw = change.raw ?? raw
        scaled = change.scaled ?? scaled
        timing = change.timing ?? timing
        split24 = change.split24 ?? split24
        pps = change.pps ?? pps
        device = change.device
    }

    /// The forms of reports that the client receives.
    package var forms: ReportForms {
        guard enable else { return [] }
        var forms: ReportForms = json ? .json : []
        if nmea || raw > 0 { forms.insert(.nmea) }
        return forms
    }
}
