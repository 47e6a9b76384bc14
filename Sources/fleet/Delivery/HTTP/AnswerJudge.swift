import Fleet
import HTTPRequests

/// What an answer of a server means, in words for a person with the next step. The server's own words are bounded,
/// without control characters, and without what is secret.
struct AnswerJudge: Sendable {
    let destination: HTTPDestination
    /// What a server could repeat in its answer.
    let secrets: [String]

    /// Seconds without a request, where a server says "too many" and no time.
    private static let usualHold = 60.0
    /// Characters of the server's own words.
    private static let longestWords = 160

    /// - Returns: `nil` if the server has accepted the request.
    func failure(_ answer: HTTPAnswer) -> DestinationSchedule.Outcome? {
        let words = "it answers \(answer.status)\(said(answer.body))"
        if let seconds = answer.hold(usual: Self.usualHold) {
            return .held(seconds: seconds, words: "\(words); it wants no report for \(Int(seconds)) s")
        }
        switch answer.status {
        case 200...299: return nil
        case 300...399:
            return .rejected(words: "it redirects, which is not followed; set the url to where it has moved to")
        case 401, 403: return .refused(words: "\(words); check the token or the password, and what its user may do")
        case 408, 425, 500...: return .failed(words: words)
        case 400 where destination.address.form == .traccar:
            return .rejected(
                words: "\(words); add a device with the identifier \(destination.device) to Traccar, or correct device")
        default: return .rejected(words: "\(words); check the path and the port of url")
        }
    }

    func failure(_ failure: HTTPFailure, after seconds: Double) -> DestinationSchedule.Outcome {
        switch failure {
        case .failed(let reason): .failed(words: hidden(reason))
        case .timedOut: .failed(words: "it does not answer within \(Int(seconds)) s")
        case .cancelled: .failed(words: "the service ends")
        }
    }

    /// The beginning of an answer's text.
    private func said(_ body: [UInt8]) -> String {
        // A secret at the cut would be shown in part.
        let text = hidden(String(decoding: body.prefix(4096), as: UTF8.self))
        let words = text.unicodeScalars.prefix(Self.longestWords).map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: " "
            default: String(scalar)
            }
        }.joined().split(separator: " ").joined(separator: " ")
        return words.isEmpty ? "" : " (\(words))"
    }

    private func hidden(_ text: String) -> String {
        secrets.filter { !$0.isEmpty }.reduce(text) { $0.replacing($1, with: "…") }
    }
}
