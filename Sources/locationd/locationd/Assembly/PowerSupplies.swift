import Glibc
@_spi(Programs) import LocationModel
@_spi(Programs) import SystemSupport

/// The machine's batteries and chargers as the kernel reports them in files:
/// Documentation/ABI/testing/sysfs-class-power.
///
/// Batteries of other devices, such as a mouse, have the scope `Device` and do not count.
struct PowerSupplies {
    /// The directory with one directory for each.
    var path = "/sys/class/power_supply"

    /// More directories or longer values than that are not read.
    private static let (limit, length) = (64, 256)

    var reading: BatteryReading {
        guard let names = (try? FileNames.of(path)) else { return .noBattery }
        var batteries: [Battery] = []
        var isCharging = false
        for name in names.sorted().prefix(Self.limit) {
            switch text("type", of: name) {
            case "Battery":
                guard text("scope", of: name) != "Device", text("present", of: name) != "0" else { continue }
                batteries.append(Battery(name: name, text: { text($0, of: name) }))
            case "Mains", "USB", "Wireless": if text("online", of: name) == "1" { isCharging = true }
            default: break
            }
        }
        guard !batteries.isEmpty else { return .noBattery }
        let statuses = batteries.map(\.status)
        // Some gauges never know; a charger that is connected then decides.
        let isDischarging =
            statuses.contains("Discharging")
            || !statuses.contains { ["Charging", "Full", "Not charging"].contains($0) } && !isCharging
        var (sum, weights) = (0.0, 0.0)
        let sizes = batteries.map(\.size)
        let isWeighted = sizes.allSatisfy { $0 != nil }
        for battery in batteries {
            guard let percent = battery.percent else { return .unusable(reason: battery.fault) }
            let weight = isWeighted ? battery.size ?? 1 : 1
            sum += percent * weight
            weights += weight
        }
        return .charge(percent: sum / weights, isDischarging: isDischarging)
    }

    private func text(_ file: String, of name: String) -> String? {
        let file = AtomicFile(path: "\(path)/\(name)/\(file)")
        guard let bytes = try? file.content(limit: Self.length) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        return String(text.prefix { $0 != "\n" })
    }
}

/// One battery, as far as its files can be believed.
private struct Battery {
    /// 0 to 100; `nil` if there is no such number.
    let percent: Double?
    let status: String
    /// What it holds when full, in the unit of its driver; `nil` if that is unknown.
    let size: Double?
    /// What is wrong where `percent` is `nil`.
    let fault: String

    init(name: String, text: (String) -> String?) {
        status = text("status") ?? ""
        // The kernel gives numbers of whole microwatt-hours or microampere-hours.
        func positive(_ file: String) -> Double? { text(file).flatMap(Int.init).flatMap { $0 > 0 ? Double($0) : nil } }
        size = positive("energy_full") ?? positive("charge_full")
        let capacity = text("capacity")
        if let number = capacity.flatMap(Int.init) {
            percent = (0...100).contains(number) ? Double(number) : nil
        } else if capacity == nil, let size, let left = (text("energy_now") ?? text("charge_now")).flatMap(Int.init) {
            let share = Double(left) / size * 100
            percent = (0...100).contains(share) ? share : nil
        } else {
            percent = nil
        }
        fault = "\(name) claims a charge of \(capacity.map { $0.escapingUnprintable() } ?? "nothing")"
    }
}
