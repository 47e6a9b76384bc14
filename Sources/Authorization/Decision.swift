package import LocationModel

/// What an administrator decided about a subject.
package struct Decision: Sendable, Hashable, Codable {
    package enum Answer: String, Sendable, Hashable, Codable {
        case denied, authorizedWhenInUse, authorizedAlways
    }

    package var answer: Answer
    package var accuracy: AccuracyAuthorization
    /// Who decided, such as `uid:0`.
    package var by: String
    /// To the millisecond, as it is kept.
    package var time: UTCTime
    /// The name that the user had then whom it is about, so that a number given to another is noticed; `nil` if it had
    /// none, if it is about no user, or a denial.
    package var account: String?

    package init(_ answer: Answer, accuracy: AccuracyAuthorization = .full, by: String, time: UTCTime) {
        self.answer = answer
        self.accuracy = accuracy
        self.by = by
        self.time = time.roundedToMilliseconds
    }
}

/// What a subject asked for.
package struct AuthorizationRequest: Sendable, Hashable, Codable {
    package enum Level: String, Sendable, Hashable, Codable { case whenInUse, always }

    package var level: Level
    /// What for, in the asker's own words, made printable; at most 256 bytes before that.
    package var purpose: String?
    /// To the millisecond, as it is kept.
    package var time: UTCTime

    package init(_ level: Level, purpose: String?, time: UTCTime) {
        self.level = level
        self.purpose = purpose
        self.time = time.roundedToMilliseconds
    }
}

/// What is known about one subject: what it asked, what was decided, or both.
package struct DecisionEntry: Sendable, Hashable, Codable {
    package var request: AuthorizationRequest?
    package var decision: Decision?

    package init(request: AuthorizationRequest? = nil, decision: Decision? = nil) {
        self.request = request
        self.decision = decision
    }

    /// The same with times as they are kept. Finer ones, written by hand, would be others after the next writing.
    var toTheMillisecond: DecisionEntry {
        var entry = self
        if let request { entry.request?.time = request.time.roundedToMilliseconds }
        if let decision { entry.decision?.time = decision.time.roundedToMilliseconds }
        return entry
    }

    /// True while the request waits for a decision: none was made, or it asks for more than was granted.
    package var isPending: Bool {
        guard let request else { return false }
        guard let decision else { return true }
        return request.level == .always && decision.answer == .authorizedWhenInUse && request.time > decision.time
    }
}
