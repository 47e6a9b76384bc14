import Authorization
@_spi(Programs) import LocationModel

/// A moment some milliseconds after another.
func time(_ milliseconds: Int64 = 0) -> UTCTime {
    UTCTime(seconds: 1_790_000_000, nanoseconds: milliseconds * 1_000_000)
}

func decision(_ answer: Decision.Answer, _ accuracy: AccuracyAuthorization = .full, at milliseconds: Int64 = 0)
    -> Decision
{
    Decision(answer, accuracy: accuracy, by: "uid:0", time: time(milliseconds))
}

func request(_ level: AuthorizationRequest.Level = .always, _ purpose: String? = nil, at milliseconds: Int64 = 0)
    -> AuthorizationRequest
{
    AuthorizationRequest(level, purpose: purpose, time: time(milliseconds))
}

/// One entry of every kind.
let sampleTable = DecisionTable(entries: [
    .uid(0): DecisionEntry(decision: decision(.authorizedAlways)),
    .uid(1000): DecisionEntry(
        request: request(.whenInUse, "show the way \\ \"home\" / ä"), decision: decision(.denied)),
    .uid(1001): DecisionEntry(request: request(.always, at: 5), decision: decision(.authorizedWhenInUse, .reduced)),
    .unit("navigator.service"): DecisionEntry(request: request()),
    .bridge(.nmea): DecisionEntry(decision: decision(.authorizedAlways, .reduced)),
])
