import Foundation
import LocationModel

extension Date {
    /// A receiver's time, or that of arrival if there is none or a day lies between: receivers that mistake the week by
    /// 1024, or start in 1980, are common, clocks of machines that are a day wrong are not.
    init(_ time: UTCTime?, arrival: Date) {
        guard let time else {
            self = arrival
            return
        }
        let told = Date(timeIntervalSince1970: Double(time.seconds) + Double(time.nanoseconds) / 1e9)
        self = abs(told.timeIntervalSince(arrival)) > 86_400 ? arrival : told
    }
}
