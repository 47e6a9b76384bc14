import CGPS
import Glibc
@_spi(Programs) import LocationModel

/// libgps' decoder with its memory: one `gps_data_t`, allocated once, owned by one thread.
///
/// The only file that uses C names. The flags in `set` are cleared before each line and not relied on: they are set for
/// absent fields and missing for present ones. Each TPV resets every member of the fix; sky and attitude are read right
/// after their own message, because they persist or share memory.
struct Unpacker: ~Copyable {
    private let data: UnsafeMutablePointer<gps_data_t>

    init() {
        data = .allocate(capacity: 1)
        data.initialize(to: gps_data_t())
    }

    deinit {
        data.deinitialize(count: 1)
        data.deallocate()
    }

    /// Decodes a line that passed the gate.
    ///
    /// - Parameter needsSatellites: whether the list of a SKY is needed. libgps' work on it is most of its work on an
    ///   epoch, and is saved where the counts suffice.
    /// - Returns: `nil` if libgps rejects it, or does not parse its mode.
    func unpack(
        _ line: [UInt8], as kind: MessageGate.ReportClass, facts: JSONScanner.Facts, needsSatellites: Bool = true
    ) -> Report? {
        if kind == .sky, !needsSatellites, let sky = SkyReport(counted: facts, in: line) { return .sky(sky) }
        data.pointee.set = 0
        data.pointee.dev.path.0 = 0
        let code = line.withUnsafeBufferPointer { bytes in
            // libgps needs a C string; the gate has ensured that there is no NUL inside.
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: bytes.count + 1) { text in
                UnsafeMutableRawBufferPointer(text).copyMemory(from: UnsafeRawBufferPointer(bytes))
                text[bytes.count] = 0
                return text.baseAddress.map { cgps_unpack($0, data) } ?? -1
            }
        }
        guard code >= 0 else { return nil }
        // libgps silently stops parsing at an unexpected value; a mode that it did not reach would look like the loss
        // of the fix.
        if kind == .position, facts.mode != Int(data.pointee.fix.mode) { return nil }
        return switch kind {
        case .position: .position(position)
        case .sky: .sky(sky(facts))
        case .attitude: .attitude(attitude)
        case .errors: .errors(errors)
        }
    }

    private var position: PositionReport {
        let fix = data.pointee.fix
        var report = PositionReport()
        func number(_ value: Double) -> Double? {
            if value.isInfinite { report.infinite += 1 }
            return value.isFinite ? value : nil
        }
        report.device = device
        report.mode = Int(fix.mode)
        report.status = Int(fix.status)
        report.time = moment(fix.time)
        report.latitude = number(fix.latitude)
        report.longitude = number(fix.longitude)
        report.altitude = number(fix.altMSL)
        report.ellipsoidalAltitude = number(fix.altHAE)
        report.geoidSeparation = number(fix.geoid_sep)
        report.horizontalAccuracy = number(fix.eph)
        report.longitudeAccuracy = number(fix.epx)
        report.latitudeAccuracy = number(fix.epy)
        report.verticalAccuracy = number(fix.epv)
        report.sphericalAccuracy = finite(fix.sep)
        report.speed = number(fix.speed)
        report.speedAccuracy = number(fix.eps)
        report.course = number(fix.track)
        report.courseAccuracy = number(fix.epd)
        report.climb = number(fix.climb)
        report.climbAccuracy = number(fix.epc)
        report.magneticVariation = number(fix.magnetic_var)
        report.antenna = AntennaState(gpsdState: Int(cgps_antenna(data)))
        let jamming = Int(cgps_jamming(data))
        report.jamming = jamming >= 0 ? jamming : nil
        return report
    }

    private func sky(_ facts: JSONScanner.Facts) -> SkyReport {
        let dop = data.pointee.dop
        var report = SkyReport(device: device)
        report.hdop = finite(dop.hdop)
        report.vdop = finite(dop.vdop)
        report.pdop = finite(dop.pdop)
        // libgps cannot distinguish a report without a list from an empty sky.
        let listed = facts.hasSatellites ? skyview : []
        report.count(SatelliteCounts(listed), facts)
        if report.counts != nil { report.satellites = listed }
        return report
    }

    /// The array has holes: libgps counts entries with a number but does not compact them.
    private var skyview: [Satellite] {
        UnsafeBufferPointer(start: cgps_skyview(data), count: Self.satelliteCapacity).compactMap { entry in
            guard entry.PRN > 0 else { return nil }
            let native = entry.svid > 0
            var satellite = Satellite(
                gnss: native ? GNSS.name(ofID: Int(entry.gnssid)) : GNSS.name(ofPRN: Int(entry.PRN)),
                id: native ? Int(entry.svid) : Int(entry.PRN), used: entry.used)
            satellite.azimuth = finite(entry.azimuth).flatMap { (0..<360).contains($0) ? $0 : nil }
            satellite.elevation = finite(entry.elevation).flatMap { (-90...90).contains($0) ? $0 : nil }
            satellite.signal = finite(entry.ss).flatMap { (0...254).contains($0) ? $0 : nil }
            return satellite
        }
    }

    private var attitude: AttitudeReport {
        guard let attitude = cgps_attitude(data)?.pointee else { return AttitudeReport() }
        return AttitudeReport(
            device: device, time: moment(attitude.mtime), heading: finite(attitude.heading),
            magneticHeading: finite(cgps_magnetic_heading(data)), pitch: finite(attitude.pitch),
            roll: finite(attitude.roll))
    }

    private var errors: ErrorReport {
        guard let errors = cgps_errors(data)?.pointee else { return ErrorReport() }
        return ErrorReport(
            device: device, time: moment(errors.utctime), semiMajor: finite(errors.smajor_deviation),
            semiMinor: finite(errors.sminor_deviation), orientation: finite(errors.smajor_orientation),
            longitude: finite(errors.lon_err_deviation), latitude: finite(errors.lat_err_deviation))
    }

    /// Sanitized, because it is shown on terminals. Text that is not UTF-8 is repaired: libgps writes an escaped é as
    /// one Latin-1 byte.
    private var device: String? {
        let path = withUnsafeBytes(of: data.pointee.dev.path) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        return path.isEmpty ? nil : Printable.text(path)
    }

    /// The size of libgps' memory for the list of satellites, and for the path of a device with the zero at its end.
    static let satelliteCapacity = Int(cgps_skyview_capacity())
    static let pathCapacity = Int(GPS_PATH_MAX)

    /// Absent is zero; garbage results in a time far before 1970, or one too late to be formatted.
    private func moment(_ time: timespec) -> UTCTime? {
        guard time.tv_sec > 0 else { return nil }
        let moment = UTCTime(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec)).roundedToMilliseconds
        return moment.hasFourDigitYear ? moment : nil
    }

    private func finite(_ value: Double) -> Double? {
        value.isFinite ? value : nil
    }
}
