/// Replies of the service, as they go over the wire.
enum ScriptedReply {
    static let unheard = "the daemon's own words"

    static func status(
        _ authorization: String, reason: String? = unheard, accuracy: String = "full", enabled: Bool = true,
        source: String = "stopped", pending: Bool = false, continues: Bool = false
    ) -> String {
        let words = reason.map { #","reason":"\#($0)""# } ?? ""
        return """
            {"parameters":{"status":{"authorization":"\(authorization)","accuracy":"\(accuracy)","enabled":\(enabled),\
            "source":"\(source)"\(words),"authorizationPending":\(pending)}},"continues":\(continues)}
            """
    }

    static func notAuthorized(_ authorization: String, _ reason: String = unheard) -> String {
        #"{"error":"org.locationd.location.NotAuthorized","parameters":{"authorization":"\#(authorization)","#
            + #""reason":"\#(reason)"}}"#
    }

    /// A location of a coarse grid.
    static let reducedLocation =
        #""location":{"latitude":52.5,"longitude":13.4,"horizontalAccuracy":3000,"mode":"twoDimensional","age":5,"#
        + #""monotonicTime":1,"sequence":7,"source":{"name":"gpsd","isSimulated":false,"isReplayed":false}}"#

    static func location(_ location: String = reducedLocation, continues: Bool = false) -> String {
        #"{"parameters":{\#(location)},"continues":\#(continues)}"#
    }

    static let info =
        #"{"parameters":{"vendor":"v","product":"locationd","version":"9","url":"u","interfaces":[]}}"#

    static func error(_ name: String, _ parameters: String = "{}") -> String {
        #"{"error":"\#(name)","parameters":\#(parameters)}"#
    }
}
