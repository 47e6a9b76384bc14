@_spi(Programs) import LocationModel
import ReferenceModel

/// What must hold of estimates, whatever the fixes are.
struct EstimateCheck {
    /// The last fix that an estimate was of, and the least of the measured accuracies so far with their number.
    private var last: (sequence: Int64, time: Double)?
    private var measured: (least: Double, count: Int)?
    /// How many predictions were seen.
    var predictions = 0
    private var predicted: (accuracy: Double, sequence: Int64)?

    /// - Returns: what is wrong with what somebody is sent who asks for estimates.
    mutating func complaint(about message: Message, _ model: ExpectedService) -> String? {
        guard let place = message.location else { return nil }
        let known = place.known
        guard let basis = place.estimateBasis else { return "\(known.sequence) is none" }
        guard known.latitude.isFinite, known.longitude.isFinite, known.accuracy.map({ $0.isFinite && $0 >= 0 }) ?? true,
            place.speed.map({ $0.isFinite && $0 >= 0 }) ?? true
        else { return "\(known.sequence) has a number that is none" }
        if basis == "predicted" { return complaint(aboutPrediction: place) }
        guard let fix = model.location(of: known.sequence) else { return "\(known.sequence) is of no followed fix" }
        (last, predicted) = ((known.sequence, known.monotonicTime), nil)
        guard let accuracy = fix.horizontalAccuracy else {
            return known.accuracy == nil ? nil : "\(known.sequence) has an accuracy, and its fix has none"
        }
        measured = (min(accuracy, measured?.least ?? accuracy), (measured?.count ?? 0) + 1)
        guard let measured, let own = known.accuracy else {
            return "\(known.sequence) has no accuracy, and its fix has"
        }
        // So much would be known of a machine that never moves. gpsd's accuracy may be one of 95 %.
        let bound = measured.least / (2 * Double(measured.count).squareRoot())
        return own < bound * 0.999 ? "\(known.sequence) is accurate to \(own) m, by fixes of \(measured.least) m" : nil
    }

    private mutating func complaint(aboutPrediction place: Message.Place) -> String? {
        predictions += 1
        guard let last else { return "\(place.known.sequence) is predicted before any fix" }
        let seconds = place.known.monotonicTime - last.time
        guard seconds > 0, seconds <= 10 else { return "\(place.known.sequence) is predicted \(seconds) s after a fix" }
        guard place.satellites == nil else { return "\(place.known.sequence) is predicted with satellites" }
        if let predicted, place.known.sequence <= predicted.sequence { return "\(place.known.sequence) comes twice" }
        if let predicted, let accuracy = place.known.accuracy, accuracy < predicted.accuracy {
            return "\(place.known.sequence) is more accurate than the prediction before"
        }
        predicted = place.known.accuracy.map { ($0, place.known.sequence) }
        return nil
    }
}
